//go:build !purego

#include "textflag.h"

// Where VPSHUFB takes each byte of a 16-byte lane from. With letters for the
// bytes of a lane, lowest address first, a mask makes of
//
//	                    a b c d e f g h i j k l m n o p
//	width 2, bytes 16   b a d c f e h g j i l k n m p o
//	width 4, bytes 48   d c b a h g f e l k j i p o n m
//	width 8, bytes 80   h g f e d c b a p o n m l k j i
//
// Before and after each mask lie 16 bytes of 0x80, which stand for zeros. A
// mask read r bytes late keeps bytes r..15 of the reversed lane and moves them
// to the front; one read 16-r bytes early keeps bytes 0..r-1 and moves them to
// the end.
DATA masks<>+0(SB)/8, $0x8080808080808080
DATA masks<>+8(SB)/8, $0x8080808080808080
DATA masks<>+16(SB)/8, $0x0607040502030001
DATA masks<>+24(SB)/8, $0x0e0f0c0d0a0b0809
DATA masks<>+32(SB)/8, $0x8080808080808080
DATA masks<>+40(SB)/8, $0x8080808080808080
DATA masks<>+48(SB)/8, $0x0405060700010203
DATA masks<>+56(SB)/8, $0x0c0d0e0f08090a0b
DATA masks<>+64(SB)/8, $0x8080808080808080
DATA masks<>+72(SB)/8, $0x8080808080808080
DATA masks<>+80(SB)/8, $0x0001020304050607
DATA masks<>+88(SB)/8, $0x08090a0b0c0d0e0f
DATA masks<>+96(SB)/8, $0x8080808080808080
DATA masks<>+104(SB)/8, $0x8080808080808080
GLOBL masks<>(SB), RODATA|NOPTR, $112

// func reverse(dst, src *byte, size, width int)
//
// Every size class below ends with a vector that ends where the data ends: it
// converts what the others left, and some elements a second time.
TEXT ·reverse(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ size+16(FP), CX
	MOVQ width+24(FP), DX
	BSFQ DX, BX
	SHLQ $5, BX
	LEAQ masks<>-16(SB), R10
	ADDQ BX, R10 // the mask: 16, 48 or 80 bytes into the table
	CMPQ CX, $32
	JAE  atLeast32
	VMOVDQU (R10), X0
	CMPQ CX, $16
	JAE  from16To31
	CMPQ CX, $8
	JAE  from8To15
	CMPQ CX, $4
	JAE  from4To7
	MOVW (SI), AX
	ROLW $8, AX
	MOVW AX, (DI)
	RET

from4To7:
	VMOVD (SI), X1
	VMOVD -4(SI)(CX*1), X2
	VPSHUFB X0, X1, X1
	VPSHUFB X0, X2, X2
	VMOVD X1, (DI)
	VMOVD X2, -4(DI)(CX*1)
	RET

from8To15:
	VMOVQ (SI), X1
	VMOVQ -8(SI)(CX*1), X2
	VPSHUFB X0, X1, X1
	VPSHUFB X0, X2, X2
	VMOVQ X1, (DI)
	VMOVQ X2, -8(DI)(CX*1)
	RET

from16To31:
	VMOVDQU (SI), X1
	VMOVDQU -16(SI)(CX*1), X2
	VPSHUFB X0, X1, X1
	VPSHUFB X0, X2, X2
	VMOVDQU X1, (DI)
	VMOVDQU X2, -16(DI)(CX*1)
	RET

atLeast32:
	VBROADCASTI128 (R10), Y0
	LEAQ -32(SI)(CX*1), R8
	LEAQ -32(DI)(CX*1), R9
	CMPQ CX, $256
	JB   vector

	// Stores that cross a cache line cost up to a third of the speed outside the
	// first-level cache. Convert the first vector where it lies and go on from
	// the next multiple of 32 of the destination: AX bytes on, which is R11
	// bytes behind the start of an element.
	MOVQ DI, AX
	NEGQ AX
	ANDQ $31, AX
	LEAQ -1(DX), R11
	ANDQ AX, R11
	VMOVDQU (SI), Y1
	VPSHUFB Y0, Y1, Y1
	VMOVDQU Y1, (DI)
	ADDQ AX, SI
	ADDQ AX, DI
	SUBQ AX, CX
	TESTQ R11, R11
	JZ   aligned
	CMPQ CX, $4096
	JAE  straddling
	SUBQ R11, SI // short enough for stores that cross cache lines
	SUBQ R11, DI
	ADDQ R11, CX
aligned:
	SUBQ $128, CX
	PCALIGN $32
block:
	VMOVDQU (SI), Y1
	VMOVDQU 32(SI), Y2
	VMOVDQU 64(SI), Y3
	VMOVDQU 96(SI), Y4
	VPSHUFB Y0, Y1, Y1
	VPSHUFB Y0, Y2, Y2
	VPSHUFB Y0, Y3, Y3
	VPSHUFB Y0, Y4, Y4
	VMOVDQU Y1, (DI)
	VMOVDQU Y2, 32(DI)
	VMOVDQU Y3, 64(DI)
	VMOVDQU Y4, 96(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $128, CX
	JAE  block
	ADDQ $128, CX

	PCALIGN $16
vector:
	SUBQ $32, CX
	JB   tail
	VMOVDQU (SI), Y1
	VPSHUFB Y0, Y1, Y1
	VMOVDQU Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	JMP  vector

tail:
	VMOVDQU (R8), Y1
	VPSHUFB Y0, Y1, Y1
	VMOVDQU Y1, (R9)
	VZEROUPPER
	RET

	// No element begins on a multiple of 32 of the destination: a store there
	// begins R11 = r bytes behind the start of one. Let l m n o be four lanes of
	// the source from that start, L M N O the same with their elements reversed.
	//
	//	Y1             l              m
	//	Y2             n              o
	//	Y4             m              n              VPERM2I128 of both
	//	Y1 by Y5       L[r..15] 0..   M[r..15] 0..
	//	Y4 by Y6       ..0 M[0..r-1]  ..0 N[0..r-1]
	//	the store      both of a lane, or-ed
	//
	// Reading m n from memory instead is slower than the plain block loop: then
	// two loads a store cross a cache line.
straddling:
	SUBQ R11, SI
	VBROADCASTI128 (R10)(R11*1), Y5
	VBROADCASTI128 -16(R10)(R11*1), Y6
	SUBQ $96, CX // two stores take three loads
	JB   straddled
	VMOVDQU (SI), Y1
	PCALIGN $32
straddle:
	VMOVDQU 32(SI), Y2
	VMOVDQU 64(SI), Y3
	VPERM2I128 $0x21, Y2, Y1, Y4
	VPERM2I128 $0x21, Y3, Y2, Y7
	VPSHUFB Y5, Y1, Y1
	VPSHUFB Y6, Y4, Y4
	VPSHUFB Y5, Y2, Y2
	VPSHUFB Y6, Y7, Y7
	VPOR Y1, Y4, Y1
	VPOR Y2, Y7, Y2
	VMOVDQU Y1, (DI)
	VMOVDQU Y2, 32(DI)
	VMOVDQA Y3, Y1
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JAE  straddle
straddled:
	SUBQ R11, DI
	LEAQ 96(CX)(R11*1), CX
	JMP  vector
