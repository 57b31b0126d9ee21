// What bench/echo.sh holds examples/echo_server against: a goroutine for each connection.
// The clients are those of the example.
//
//	echo PATH-OF-echo_server CONNECTIONS REQUESTS
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

func serve(c net.Conn, all *sync.WaitGroup) {
	defer all.Done()
	defer c.Close()
	var bytes [64]byte
	for {
		n, err := c.Read(bytes[:])
		if err != nil {
			return
		}
		if _, err := c.Write(bytes[:n]); err != nil {
			panic(err)
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	connections, err := strconv.Atoi(os.Args[2])
	must(err)
	requests, err := strconv.Atoi(os.Args[3])
	must(err)
	listens, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	port := strconv.Itoa(listens.Addr().(*net.TCPAddr).Port)
	clients := exec.Command(os.Args[1], "--clients", port, os.Args[2], os.Args[3])
	clients.Stderr = os.Stderr
	must(clients.Start())
	start := time.Now()
	var all sync.WaitGroup
	for i := 0; i < connections; i++ {
		c, err := listens.Accept()
		must(err)
		all.Add(1)
		go serve(c, &all)
	}
	all.Wait()
	seconds := time.Since(start).Seconds()
	n := connections * requests
	fmt.Printf("%d connections, %d requests: %.3f s, %.0f a second\n", connections, n, seconds, float64(n)/seconds)
	must(clients.Wait())
}
