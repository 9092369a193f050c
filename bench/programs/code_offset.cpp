// SPDX-License-Identifier: MIT
//
// Moves the code of the program that it is linked into, as its first unit.
asm(".pushsection .text\n.skip " LLMES_CODE_OFFSET "\n.popsection");
