// sleepers.go - as many goroutines that sleep until one deadline: what each keeps, and when all have gone on.
//
//	go run bench/sleepers.go [TASKS]
//
// The deadline is that of bench/sleepers.c.  Two processors, as two workers.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bytes of memory and of page tables that the process holds.
func held() (sum float64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		word := strings.Fields(in.Text())
		if len(word) > 1 && (word[0] == "VmRSS:" || word[0] == "VmPTE:") {
			kib, _ := strconv.ParseFloat(word[1], 64)
			sum += kib * 1024
		}
	}
	return
}

func main() {
	tasks := 1000000
	if len(os.Args) > 1 {
		tasks, _ = strconv.Atoi(os.Args[1])
	}
	runtime.GOMAXPROCS(2)
	resumed := make([]byte, tasks)
	for i := range resumed {
		resumed[i] = 0
	}
	var all, asleep sync.WaitGroup
	before, began := held(), time.Now()
	deadline := began.Add(time.Duration(tasks)*5*time.Microsecond + 2*time.Second)
	all.Add(tasks)
	asleep.Add(tasks)
	for i := 0; i < tasks; i++ {
		go func(i int) {
			asleep.Done()
			time.Sleep(time.Until(deadline))
			resumed[i]++
			all.Done()
		}(i)
	}
	asleep.Wait()
	slept := time.Now()
	fmt.Printf("%d tasks asleep (Go): %.0f B each\n", tasks, (held()-before)/float64(tasks))
	all.Wait()
	end := time.Now()
	wrong := 0
	for _, n := range resumed {
		if n != 1 {
			wrong++
		}
	}
	fmt.Printf("%d ns each to begin and to wait, %d ns to go on and to end\n",
		int(slept.Sub(began))/tasks, int(end.Sub(deadline))/tasks)
	fmt.Printf("%d tasks went on once, %d not\n", tasks-wrong, wrong)
	if wrong > 0 {
		os.Exit(1)
	}
}
