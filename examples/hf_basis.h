/*
 * hf_basis.h - what both Hartree-Fock programs are told: the atoms, and the functions at each of them.
 *
 * Role: 15 s-type Gaussians for beryllium, and places for n atoms.  No integral is here, because the programs
 *       are to find the same energy each by a way of its own.
 * Invariants: I1 the energy of one atom is not below -14.573023, the limit for any basis.
 * See: examples/hf.c, examples/hf_serial.c.
 */
#ifndef JDI_EXAMPLES_HF_BASIS_H
#define JDI_EXAMPLES_HF_BASIS_H

#include <math.h>
#include <stddef.h>

enum { HF_EACH = 15, HF_CHARGE = 4 }; /* functions and electrons of an atom */

/* Found by lowering the energy of one atom, one exponent after the other. */
static const double hf_exponents[HF_EACH] = {
    0.037339, 0.0861788, 0.20207, 0.438908, 1.10464, 2.45462, 5.53334, 12.8492,
    31.0682,  79.5827,   220.151, 674.218,  2379.08, 10450.8, 69775.6};

/* The place of atom i, in bohr: a zigzag in which neighbours are `distance` apart, turned by `angle` degrees about
 * the third axis and about the first one. */
static inline void hf_place(size_t i, double distance, double angle, double at[3])
{
    double turn = angle * acos(-1) / 180;
    double x = (double)i * distance * sqrt(0.75), y = i % 2 ? distance / 2 : 0;
    double across = x * sin(turn) + y * cos(turn);
    at[0] = x * cos(turn) - y * sin(turn);
    at[1] = across * cos(turn);
    at[2] = across * sin(turn);
}

#endif
