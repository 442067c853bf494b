//go:build !purego

#include "textflag.h"

// The three functions differ in the instruction REV alone: VREV16, VREV32 and
// VREV64 reverse the bytes in every 2, 4 or 8 of a vector.
//
// R0 destination, R1 source, R2 bytes left, R3 and R4 the ends of both. Every
// size class finishes with a vector that ends where the data ends: it converts
// what the others left, and some elements a second time.
#define REVERSE(REV) \
	MOVD dst+0(FP), R0 \
	MOVD src+8(FP), R1 \
	MOVD size+16(FP), R2 \
	ADD  R0, R2, R3 \
	ADD  R1, R2, R4 \
	CMP  $16, R2 \
	BLO  from8To15 \
	SUBS $64, R2, R2 \
	BLO  vectors \
block: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16] \
	REV V0.B16, V0.B16 \
	REV V1.B16, V1.B16 \
	REV V2.B16, V2.B16 \
	REV V3.B16, V3.B16 \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0) \
	SUBS $64, R2, R2 \
	BHS  block \
vectors: \
	ADD  $64, R2, R2 \
vector: \
	SUBS $16, R2, R2 \
	BLO  tail \
	VLD1.P 16(R1), [V0.B16] \
	REV V0.B16, V0.B16 \
	VST1.P [V0.B16], 16(R0) \
	B    vector \
tail: \
	FMOVQ -16(R4), F0 \
	REV V0.B16, V0.B16 \
	FMOVQ F0, -16(R3) \
	RET \
from8To15: \
	CMP  $8, R2 \
	BLO  from4To7 \
	FMOVD (R1), F0 \
	FMOVD -8(R4), F1 \
	REV V0.B16, V0.B16 \
	REV V1.B16, V1.B16 \
	FMOVD F0, (R0) \
	FMOVD F1, -8(R3) \
	RET \
from4To7: \
	CMP  $4, R2 \
	BLO  two \
	FMOVS (R1), F0 \
	FMOVS -4(R4), F1 \
	REV V0.B16, V0.B16 \
	REV V1.B16, V1.B16 \
	FMOVS F0, (R0) \
	FMOVS F1, -4(R3) \
	RET \
two: \
	MOVHU (R1), R5 \
	REV16W R5, R5 \
	MOVH  R5, (R0) \
	RET

// func reverse16(dst, src *byte, size int)
TEXT ·reverse16(SB), NOSPLIT, $0-24
	REVERSE(VREV16)

// func reverse32(dst, src *byte, size int)
TEXT ·reverse32(SB), NOSPLIT, $0-24
	REVERSE(VREV32)

// func reverse64(dst, src *byte, size int)
TEXT ·reverse64(SB), NOSPLIT, $0-24
	REVERSE(VREV64)

// func widen(dst, src *byte, size int)
//
// The last vector ends where the data ends: it converts some elements again.
// SXTL and SXTL2 sign-extend the low and the high half of V0; Go's assembler has
// no names for them.
#define WIDEN \
	VREV32 V0.B16, V0.B16 \
	WORD $0x0f20a401 \ // SXTL V1.2D, V0.2S
	WORD $0x4f20a402 // SXTL2 V2.2D, V0.4S

TEXT ·widen(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD size+16(FP), R2
	ADD  R0, R2, R3
	ADD  R3, R2, R3
	SUB  $32, R3, R3
	ADD  R1, R2, R4
	SUB  $16, R4, R4
	B    widenNext
widenBlock:
	VLD1.P 16(R1), [V0.B16]
	WIDEN
	VST1.P [V1.B16, V2.B16], 32(R0)
widenNext:
	SUBS $16, R2, R2
	BHI  widenBlock
	VLD1 (R4), [V0.B16]
	WIDEN
	VST1 [V1.B16, V2.B16], (R3)
	RET

// func narrow(dst, src *byte, size int)
TEXT ·narrow(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD size+16(FP), R2
	ADD  R0, R2, R3
	SUB  $16, R3, R3
	ADD  R1, R2, R4
	ADD  R4, R2, R4
	SUB  $32, R4, R4
	B    narrowNext
narrowBlock:
	VLD1.P 32(R1), [V0.B16, V1.B16]
	VUZP1 V1.S4, V0.S4, V2.S4
	VREV32 V2.B16, V2.B16
	VST1.P [V2.B16], 16(R0)
narrowNext:
	SUBS $16, R2, R2
	BHI  narrowBlock
	VLD1 (R4), [V0.B16, V1.B16]
	VUZP1 V1.S4, V0.S4, V2.S4
	VREV32 V2.B16, V2.B16
	VST1 [V2.B16], (R3)
	RET
