//go:build !purego

#include "textflag.h"

// Source of each byte of a 16-byte lane for VPSHUFB. With letters for the
// bytes of a lane, lowest address first, the masks produce
//
//	                    a b c d e f g h i j k l m n o p
//	width 2, bytes 16   b a d c f e h g j i l k n m p o
//	width 4, bytes 48   d c b a h g f e l k j i p o n m
//	width 8, bytes 80   h g f e d c b a p o n m l k j i
//
// Before and after each mask are 16 bytes of 0x80, which give zeros. A
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
// Every size class ends with a vector that ends where the data ends: it
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
	CMPQ CX, $256
	JB   short
	CMPB ·haveAVX512(SB), $0
	JEQ  long
	CMPQ CX, $24576
	JBE  wide // source and destination fit into the first-level cache

long:
	VBROADCASTI128 (R10), Y0
	LEAQ -32(SI)(CX*1), R8
	LEAQ -32(DI)(CX*1), R9

	// Convert the first vector where it lies and go on from the next multiple of
	// 32 of the destination: AX bytes on, which is R11 bytes behind the start of
	// an element. If that is within an element, step back to its start.
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
	JB   unaligned
	CMPB ·slowSplitStores(SB), $0
	JNE  straddling
unaligned:
	SUBQ R11, SI
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
	JMP  vector

short:
	VBROADCASTI128 (R10), Y0
	LEAQ -32(SI)(CX*1), R8
	LEAQ -32(DI)(CX*1), R9
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

	// As above, in vectors of 64 bytes. Stores that cross cache lines cost little
	// as long as the lines are in the first-level cache.
wide:
	VBROADCASTI32X4 (R10), Z0
	LEAQ -64(SI)(CX*1), R8
	LEAQ -64(DI)(CX*1), R9
	MOVQ DI, AX
	NEGQ AX
	ANDQ $63, AX
	NEGQ DX
	ANDQ DX, AX // whole elements, so aligned only if the elements are
	VMOVDQU64 (SI), Z1
	VPSHUFB Z0, Z1, Z1
	VMOVDQU64 Z1, (DI)
	ADDQ AX, SI
	ADDQ AX, DI
	SUBQ AX, CX
	SUBQ $256, CX
	JB   wideBlocked
	PCALIGN $32
wideBlock:
	VMOVDQU64 (SI), Z1
	VMOVDQU64 64(SI), Z2
	VMOVDQU64 128(SI), Z3
	VMOVDQU64 192(SI), Z4
	VPSHUFB Z0, Z1, Z1
	VPSHUFB Z0, Z2, Z2
	VPSHUFB Z0, Z3, Z3
	VPSHUFB Z0, Z4, Z4
	VMOVDQU64 Z1, (DI)
	VMOVDQU64 Z2, 64(DI)
	VMOVDQU64 Z3, 128(DI)
	VMOVDQU64 Z4, 192(DI)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $256, CX
	JAE  wideBlock
wideBlocked:
	ADDQ $256, CX
	PCALIGN $16
wideVector:
	SUBQ $64, CX
	JB   wideTail
	VMOVDQU64 (SI), Z1
	VPSHUFB Z0, Z1, Z1
	VMOVDQU64 Z1, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	JMP  wideVector
wideTail:
	VMOVDQU64 (R8), Z1
	VPSHUFB Z0, Z1, Z1
	VMOVDQU64 Z1, (R9)
	VZEROUPPER
	RET

	// Outside the first-level cache, Intel's processors lose up to a quarter of
	// the speed to stores that cross cache lines. AMD's lose nothing: there this
	// path takes twice as long as the plain one, so it is not taken.
	//
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
	// two loads per store cross a cache line.
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

// func intel() bool
TEXT ·intel(SB), NOSPLIT, $0-1
	XORL AX, AX
	XORL CX, CX
	CPUID
	CMPL BX, $0x756e6547 // Genu
	JNE  other
	CMPL DX, $0x49656e69 // ineI
	JNE  other
	CMPL CX, $0x6c65746e // ntel
	JNE  other
	MOVB $1, ret+0(FP)
	RET
other:
	MOVB $0, ret+0(FP)
	RET

// func widen(dst, src *byte, size int)
//
// The last vector ends where the data ends: it converts some elements again.
TEXT ·widen(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ size+16(FP), CX
	VMOVDQU masks<>+48(SB), X0
	LEAQ -16(SI)(CX*1), R8
	LEAQ -32(DI)(CX*2), R9
	SUBQ $32, CX
	JB   widened
	PCALIGN $32
widenBlock:
	VMOVDQU (SI), X1
	VMOVDQU 16(SI), X2
	VPSHUFB X0, X1, X1
	VPSHUFB X0, X2, X2
	VPMOVSXDQ X1, Y1
	VPMOVSXDQ X2, Y2
	VMOVDQU Y1, (DI)
	VMOVDQU Y2, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $32, CX
	JAE  widenBlock
widened:
	CMPQ CX, $-16
	JB   widenTail
	VMOVDQU (SI), X1
	VPSHUFB X0, X1, X1
	VPMOVSXDQ X1, Y1
	VMOVDQU Y1, (DI)
widenTail:
	VMOVDQU (R8), X1
	VPSHUFB X0, X1, X1
	VPMOVSXDQ X1, Y1
	VMOVDQU Y1, (R9)
	VZEROUPPER
	RET

// func narrow(dst, src *byte, size int)
//
// VSHUFPS takes the low halves of eight elements, in the order 0 1 4 5 2 3 6 7,
// which VPERMQ puts right.
TEXT ·narrow(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ size+16(FP), CX
	VBROADCASTI128 masks<>+48(SB), Y0
	LEAQ -64(SI)(CX*2), R8
	LEAQ -32(DI)(CX*1), R9
	JMP  narrowNext
	PCALIGN $32
narrowBlock:
	VMOVDQU (SI), Y1
	VSHUFPS $0x88, 32(SI), Y1, Y1
	VPERMQ $0xd8, Y1, Y1
	VPSHUFB Y0, Y1, Y1
	VMOVDQU Y1, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
narrowNext:
	SUBQ $32, CX
	JA   narrowBlock
	VMOVDQU (R8), Y1
	VSHUFPS $0x88, 32(R8), Y1, Y1
	VPERMQ $0xd8, Y1, Y1
	VPSHUFB Y0, Y1, Y1
	VMOVDQU Y1, (R9)
	VZEROUPPER
	RET
