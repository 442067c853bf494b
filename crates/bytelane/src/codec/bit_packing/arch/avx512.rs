//! AVX-512: a permutation moves to each 8-byte number the bytes in which its values lie; then
//! `vpmultishiftqb` extracts each byte of a value from any bit position of its number. Packing
//! joins the values of each number and shifts the result to its bit position.

use crate::backend::Avx512;
use crate::codec::bit_packing::layout::{Layout, low_bits, spills};
use crate::codec::bit_packing::{Any, Case, Pack, Packs, Unpack, WINDOW, kernel};
use crate::memory::{Each, Slot};
use crate::simd::avx512::{first_bits, load, load_up_to, store, store_up_to};
use crate::simd::{implement, sse41, window};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Unpack<K> for Avx512 {
        const FEW: usize = 0;
        type Plan = Unpacker<K>;
        fn unpack_plan(layout: Layout) -> Unpacker<K> = Unpacker::<K>::new;
        fn is_usual(plan: &Unpacker<K>) -> bool = Unpacker::is_usual;
        fn unpack<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) = unpack::<K, C>;
        fn unpack_rest(plan: &Unpacker<K>, layout: Layout, src: &[u8], dst: &mut [Slot]) = unpack_rest::<K>;
    }
}

implement! {
    impl<const K: usize> Pack<K> for Avx512 {
        const FEW: usize = 0;
        type Plan = Packer<K>;
        fn pack_plan(layout: Layout) -> Packer<K> = Packer::<K>::new;
        fn packs_usual(plan: &Packer<K>) -> bool = Packer::packs_usual;
        fn pack<C: Case>(plan: &mut Packer<K>, from: &[u8; 64], to: &mut [Slot; 64]) = pack::<K, C>;
        fn narrow(plan: &mut Packer<K>, from: &[[u8; 64]; K], to: &mut [u8; 64]) = narrow::<K>;
        fn narrow_up_to(plan: &mut Packer<K>, layout: Layout, from: &[u8], to: &mut [u8; 64]) = narrow_up_to::<K>;
        fn pack_rest(plan: &mut Packer<K>, layout: Layout, src: &[u8], dst: &mut [Slot]) = pack_rest::<K>;
        fn all_fit(plan: &Packer<K>) -> bool = all_fit::<K>;
    }
}

impl<const K: usize> Packs<K> for Avx512 {
    #[inline(always)]
    fn pack(self, layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
        kernel::pack::<K, Self>(self, layout, src, dst)
    }

    #[inline(always)]
    fn pack_whole(self, layout: Layout, src: &[u8], dst: &mut [Slot]) {
        kernel::pack_whole::<K, Self>(self, layout, src, dst);
    }
}

/// Tables with an entry for each byte of a vector of `K`-byte values.
struct Tables<const K: usize>;

impl<const K: usize> Tables<K> {
    /// First value of its number, modulo eight: an index into `PLACES`.
    const FIRST: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i / 8 * (8 / K) % 8) as u8;
            i += 1;
        }
        table
    };

    /// Group of eight values to which that value belongs.
    const GROUP: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i / 8 * (8 / K) / 8) as u8;
            i += 1;
        }
        table
    };

    /// Its position in its number.
    const BYTE: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i % 8) as u8;
            i += 1;
        }
        table
    };

    /// Position of its value in its number.
    const VALUE: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i % 8 / K) as u8;
            i += 1;
        }
        table
    };

    /// First of its bits in its value.
    const BIT: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i % K * 8) as u8;
            i += 1;
        }
        table
    };
}

/// Returns the starts of the eight numbers in a block, repeated for each byte of a number: the
/// byte, and the bit within that byte.
#[target_feature(enable = "avx512bw")]
#[inline]
fn starts<const K: usize>(layout: Layout) -> [__m512i; 2] {
    let places = _mm512_broadcast_i32x4(sse41::load(layout.places()));
    let first = load(const { &Tables::<K>::FIRST });
    let byte = _mm512_add_epi8(
        _mm512_shuffle_epi8(places, first),
        times(load(const { &Tables::<K>::GROUP }), layout.width),
    );
    let bit = _mm512_shuffle_epi8(places, _mm512_add_epi8(first, _mm512_set1_epi8(8)));
    [byte, bit]
}

/// Multiplies each byte by a small number; no product has more than 8 bits, so pairs do not
/// interfere.
#[target_feature(enable = "avx512bw")]
#[inline]
fn times(bytes: __m512i, factor: usize) -> __m512i {
    _mm512_mullo_epi16(bytes, _mm512_set1_epi16(factor as i16))
}

/// Broadcasts a number to all `K`-byte values.
#[target_feature(enable = "avx512bw")]
#[inline]
pub(crate) fn splat<const K: usize>(number: u64) -> __m512i {
    match K {
        1 => _mm512_set1_epi8(number as i8),
        2 => _mm512_set1_epi16(number as i16),
        4 => _mm512_set1_epi32(number as i32),
        _ => _mm512_set1_epi64(number as i64),
    }
}

/// Adds `K`-byte values.
#[target_feature(enable = "avx512bw")]
#[inline]
pub(crate) fn add<const K: usize>(a: __m512i, b: __m512i) -> __m512i {
    match K {
        1 => _mm512_add_epi8(a, b),
        2 => _mm512_add_epi16(a, b),
        4 => _mm512_add_epi32(a, b),
        _ => _mm512_add_epi64(a, b),
    }
}

/// Subtracts `K`-byte values.
#[target_feature(enable = "avx512bw")]
#[inline]
pub(crate) fn sub<const K: usize>(a: __m512i, b: __m512i) -> __m512i {
    match K {
        1 => _mm512_sub_epi8(a, b),
        2 => _mm512_sub_epi16(a, b),
        4 => _mm512_sub_epi32(a, b),
        _ => _mm512_sub_epi64(a, b),
    }
}

/// Selects the bits of `yes` where `mask` has ones, else those of `no`.
#[target_feature(enable = "avx512f")]
#[inline]
fn select(mask: __m512i, yes: __m512i, no: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0xca>(mask, yes, no)
}

#[derive(Clone, Copy)]
pub(crate) struct Unpacker<const K: usize> {
    /// Byte indices of each number.
    bytes: __m512i,
    /// For each byte of the values, its first bit in its number.
    bits: __m512i,
    /// Bytes of the values that are not within the first 8 bytes of their number.
    late: Option<__mmask64>,
    mask: __m512i,
    reference: __m512i,
    zigzag: bool,
}

impl<const K: usize> Unpacker<K> {
    #[inline(always)]
    fn is_usual(&self) -> bool {
        !self.zigzag && self.late.is_none()
    }

    #[target_feature(enable = "avx512bw,avx512vbmi")]
    #[inline]
    pub(crate) fn new(layout: Layout) -> Self {
        let [byte, bit] = starts::<K>(layout);
        let within = times(load(const { &Tables::<K>::VALUE }), layout.width);
        let within = _mm512_add_epi8(within, load(const { &Tables::<K>::BIT }));
        let bits = _mm512_add_epi8(bit, within);
        let spills = spills(8 / K * layout.width, 64);
        Self {
            bytes: _mm512_add_epi8(byte, load(const { &Tables::<K>::BYTE })),
            bits,
            late: spills.then(|| _mm512_cmpgt_epu8_mask(bits, _mm512_set1_epi8(56))),
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference),
            zigzag: layout.zigzag,
        }
    }

    /// Unpacks the values in a window.
    #[target_feature(enable = "avx512bw,avx512vbmi")]
    #[inline]
    pub(crate) fn unpacked<C: Case>(&self, window: __m512i) -> __m512i {
        let numbers = _mm512_permutexvar_epi8(self.bytes, window);
        let mut bits = _mm512_multishift_epi64_epi8(self.bits, numbers);
        if let Some(late) = self.late.filter(|_| C::WIDE) {
            let next = _mm512_add_epi8(self.bytes, _mm512_set1_epi8(1));
            let numbers = _mm512_permutexvar_epi8(next, window);
            // From one byte later, all bit positions are eight less.
            let places = _mm512_sub_epi8(self.bits, _mm512_set1_epi8(8));
            bits = _mm512_mask_multishift_epi64_epi8(bits, late, places, numbers);
        }
        let bits = _mm512_and_si512(bits, self.mask);
        if C::ZIGZAG && K >= 4 && self.zigzag {
            let one = splat::<K>(1);
            let half = match K {
                4 => _mm512_srli_epi32::<1>(bits),
                _ => _mm512_srli_epi64::<1>(bits),
            };
            let sign = sub::<K>(_mm512_setzero_si512(), _mm512_and_si512(bits, one));
            return _mm512_xor_si512(half, sign);
        }
        add::<K>(bits, self.reference)
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn unpack<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) {
    store(to, plan.unpacked::<C>(load(window(from, 0))));
}

#[target_feature(enable = "avx512bw,avx512vbmi,bmi2")]
#[inline]
fn unpack_rest<const K: usize>(
    plan: &Unpacker<K>,
    layout: Layout,
    mut src: &[u8],
    dst: &mut [Slot],
) {
    let stride = 8 * layout.width / K;
    for block in dst.chunks_mut(64) {
        store_up_to(block, plan.unpacked::<Any>(load_up_to(src)));
        src = &src[usize::min(stride, src.len())..];
    }
}

/// For eight numbers of 8 to 64 bits, at most two of which share a byte: the source of each byte of
/// the result, as a byte of a number. A shared byte comes from the number that begins first.
static JOINED: [[u8; 64]; 57] = {
    let mut tables = [[0; 64]; 57];
    let mut bits = 8;
    while bits <= 64 {
        let mut at = 0;
        while at < bits {
            let number = 8 * at / bits;
            let byte = at - number * bits / 8;
            // The ninth byte is in the second source.
            tables[bits - 8][at] = (8 * number + byte % 8 + byte / 8 * 64) as u8;
            at += 1;
        }
        bits += 1;
    }
    tables
};

/// Bytes in which a number begins after another one has ended, one bit each.
static SHARED: [u64; 57] = {
    let mut tables = [0; 57];
    let mut bits = 8;
    while bits <= 64 {
        let mut number = 1;
        while number < 8 {
            if number * bits % 8 != 0 {
                tables[bits - 8] |= 1 << (number * bits / 8);
            }
            number += 1;
        }
        bits += 1;
    }
    tables
};

#[derive(Clone, Copy)]
pub(crate) struct Packer<const K: usize> {
    /// Unused bits of a value, a pair or four values, for shifts: the size of half a number minus
    /// its bits.
    excess: [__m128i; 3],
    /// Mask of the bits of the first value, pair or four of each two.
    lower: [__m512i; 3],
    /// Shift of each number.
    bit: __m512i,
    bytes: __m512i,
    shared: __mmask64,
    spills: bool,
    mask: __m512i,
    reference: __m512i,
    zigzag: bool,
    /// Bits that occur in any value so far.
    seen: __m512i,
}

impl<const K: usize> Packer<K> {
    #[inline(always)]
    fn packs_usual(&self) -> bool {
        !self.zigzag && !self.spills
    }

    #[target_feature(enable = "avx512bw")]
    #[inline]
    pub(crate) fn new(layout: Layout) -> Self {
        let mut excess = [_mm_setzero_si128(); 3];
        let mut lower = [_mm512_setzero_si512(); 3];
        for (i, half) in [1, 2, 4].into_iter().enumerate() {
            if half >= K {
                let bits = half / K * layout.width;
                excess[i] = _mm_cvtsi64_si128((8 * half - bits) as i64);
                lower[i] = match half {
                    1 => splat::<2>(low_bits(bits)),
                    2 => splat::<4>(low_bits(bits)),
                    _ => splat::<8>(low_bits(bits)),
                };
            }
        }
        let [_, bit] = starts::<K>(layout);
        let row = (8 / K * layout.width).saturating_sub(8);
        Self {
            excess,
            lower,
            bit: _mm512_and_si512(bit, splat::<8>(0xff)),
            bytes: load(&JOINED[row]),
            shared: SHARED[row],
            spills: spills(8 / K * layout.width, 64),
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference),
            zigzag: layout.zigzag,
            seen: _mm512_setzero_si512(),
        }
    }

    /// Maps packed bits to values.
    #[target_feature(enable = "avx512bw")]
    #[inline]
    fn mapped<C: Case>(&self, values: __m512i) -> __m512i {
        if C::ZIGZAG && K >= 4 && self.zigzag {
            let double = add::<K>(values, values);
            let sign = match K {
                4 => _mm512_srai_epi32::<31>(values),
                _ => _mm512_srai_epi64::<63>(values),
            };
            return _mm512_xor_si512(double, sign);
        }
        sub::<K>(values, self.reference)
    }

    /// Packs 64 bytes of bits. Each number's values are joined in pairs, K = 1:
    ///
    /// ```text
    /// values   a        b        c        d    ..
    /// pairs    ab                cd
    /// fours    abcd
    /// ```
    #[target_feature(enable = "avx512bw,avx512vbmi")]
    #[inline]
    fn packed<C: Case>(&mut self, bits: __m512i) -> __m512i {
        self.seen = _mm512_or_si512(self.seen, bits);
        let mut numbers = bits;
        if K == 1 {
            let moved = _mm512_srl_epi16(numbers, self.excess[0]);
            numbers = select(self.lower[0], numbers, moved);
        }
        if K <= 2 {
            let moved = _mm512_srl_epi32(numbers, self.excess[1]);
            numbers = select(self.lower[1], numbers, moved);
        }
        if K <= 4 {
            let moved = _mm512_srl_epi64(numbers, self.excess[2]);
            numbers = select(self.lower[2], numbers, moved);
        }
        if K == 1 {
            return _mm512_permutexvar_epi8(self.bytes, numbers);
        }
        let shifted = _mm512_sllv_epi64(numbers, self.bit);
        let first = if C::WIDE && self.spills {
            let room = _mm512_sub_epi64(splat::<8>(64), self.bit);
            let ninth = _mm512_srlv_epi64(numbers, room);
            _mm512_permutex2var_epi8(shifted, self.bytes, ninth)
        } else {
            _mm512_permutexvar_epi8(self.bytes, shifted)
        };
        // The first byte of the next number goes to a shared byte.
        let next = _mm512_add_epi8(
            _mm512_and_si512(self.bytes, splat::<1>(0x38)),
            splat::<1>(8),
        );
        let next = _mm512_maskz_permutexvar_epi8(self.shared, next, shifted);
        _mm512_or_si512(first, next)
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn pack<const K: usize, C: Case>(plan: &mut Packer<K>, from: &[u8; 64], to: &mut [Slot; 64]) {
    let bits = plan.mapped::<C>(load(from));
    store(to, plan.packed::<C>(bits));
}

#[target_feature(enable = "avx512bw,avx512vbmi,bmi2")]
#[inline]
fn pack_rest<const K: usize>(plan: &mut Packer<K>, layout: Layout, src: &[u8], dst: &mut [Slot]) {
    let stride = 8 * layout.width / K;
    let mut to = 0;
    for values in src.chunks(64) {
        let bits = match values.first_chunk() {
            Some(block) => plan.mapped::<Any>(load(block)),
            None => {
                let bits = plan.mapped::<Any>(load_up_to(values));
                _mm512_maskz_mov_epi8(first_bits(values.len()), bits)
            }
        };
        let end = usize::min(to + stride, dst.len());
        store_up_to(&mut dst[to..end], plan.packed::<Any>(bits));
        to = end;
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn narrow<const K: usize>(plan: &mut Packer<K>, from: &[[u8; 64]; K], to: &mut [u8; 64]) {
    let mut vectors = [_mm512_setzero_si512(); K];
    for i in 0..K {
        let bits = plan.mapped::<Any>(load(&from[i]));
        plan.seen = _mm512_or_si512(plan.seen, bits);
        vectors[i] = bits;
    }
    store(to, narrowed(vectors));
}

#[target_feature(enable = "avx512bw,avx512vbmi,bmi2")]
#[inline]
fn narrow_up_to<const K: usize>(
    plan: &mut Packer<K>,
    _layout: Layout,
    from: &[u8],
    to: &mut [u8; 64],
) {
    let mut vectors = [_mm512_setzero_si512(); K];
    for i in 0..K {
        let Some(here @ [_, ..]) = from.get(64 * i..) else {
            break;
        };
        let bits = plan.mapped::<Any>(load_up_to(here));
        vectors[i] = _mm512_maskz_mov_epi8(first_bits(here.len()), bits);
        plan.seen = _mm512_or_si512(plan.seen, vectors[i]);
    }
    store(to, narrowed(vectors));
}

/// Order of the lowest bytes of the `K`-byte values in two vectors; that of the second begins at 64.
const fn lowest<const K: usize>() -> [u8; 64] {
    let mut order = [0; 64];
    let mut i = 0;
    while i < 64 {
        order[i] = (i * K % 128) as u8;
        i += 1;
    }
    order
}

/// Keeps the lowest byte of each value: those of two vectors at a time.
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn narrowed<const K: usize>(vectors: [__m512i; K]) -> __m512i {
    let order = load(&const { lowest::<K>() });
    let both = |first, second| _mm512_permutex2var_epi8(first, order, second);
    match K {
        1 => vectors[0],
        2 => both(vectors[0], vectors[1]),
        4 => {
            let [low, high] = [both(vectors[0], vectors[1]), both(vectors[2], vectors[3])];
            _mm512_inserti64x4::<1>(low, _mm512_castsi512_si256(high))
        }
        _ => {
            let quarter = |i: usize| both(vectors[2 * i], vectors[2 * i + 1]);
            let half = |i: usize| {
                let [low, high] =
                    [quarter(i), quarter(i + 1)].each(|it| _mm512_castsi512_si128(it));
                _mm256_set_m128i(high, low)
            };
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(half(0)), half(2))
        }
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn all_fit<const K: usize>(plan: &Packer<K>) -> bool {
    _mm512_test_epi64_mask(_mm512_andnot_si512(plan.mask, plan.seen), splat::<8>(!0)) == 0
}
