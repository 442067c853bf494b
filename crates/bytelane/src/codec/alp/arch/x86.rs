//! Code shared by SSE4.1 and AVX2. They differ in the register length and in the names of the
//! intrinsics, which each of them imports without its prefix.

/// Implements the traits for a token, with registers `$V` of `$N` bytes.
macro_rules! without_masks {
    ($Token:ident $feature:literal $V:ident $N:literal) => {
        implement! {
            impl<const K: usize> Steps<K> for $Token {
                const BIAS: u64 = if K == 8 { MAGIC } else { 0 };
                type Number = $V;
                type Found = [$V; 3];
                type Limits = [$V; 2];
                fn numbers(numbers: [u64; 2]) -> [$V; 2] = splat_numbers::<K>;
                fn limits(limits: [i64; 2]) -> [$V; 2] = splat_limits::<K>;
                fn nothing() -> [$V; 3] = nothing::<K>;
                fn weigh(powers: &Powers<$V>, limits: &[$V; 2], from: &[u8; 64], found: &mut [$V; 3]) = weigh::<K>;
                fn weigh_blocks(powers: &Powers<$V>, limits: &[$V; 2], from: &[[u8; 64]], costs: Costs, found: &mut [$V; 3]) -> bool => encode::weigh_blocks::<K, _>;
                fn count(found: [$V; 3]) -> usize = count::<K>;
                fn ends(found: [$V; 3]) -> [i64; 2] = ends::<K>;
                fn likely(power: u64, from: &[u8; 64]) -> u32 = likely::<K>;
                fn integers(powers: &Powers<$V>, limits: &[$V; 2], other: u64, from: &[u8; 64], to: &mut [u8; 64]) -> u32 = integers::<K>;
                fn integer_blocks(powers: &Powers<$V>, limits: &[$V; 2], other: u64, from: &[[u8; 64]], to: &mut [[u8; 64]], exceptions: &mut [u32]) => encode::integer_blocks::<K, _>;
            }
        }

        implement! {
            impl<const K: usize> Decimal<K> for $Token {
                fn floats<C: Conversion>(plan: &Unpacker<K>, powers: &[$V; 2], from: &[u8; WINDOW], to: &mut [Slot; 64]) = floats::<K, C>;
                fn blocks<C: Conversion>(plan: &Unpacker<K>, powers: &[$V; 2], windows: &Windows<'_, WINDOW>, to: &mut [[Slot; 64]]) => kernel::blocks::<K, _, C>;
            }
        }

        /// Broadcasts `K`-byte numbers to all lanes.
        #[target_feature(enable = $feature)]
        #[inline]
        fn splat_numbers<const K: usize>(numbers: [u64; 2]) -> [$V; 2] {
            numbers.each(|number| splat::<K>(number))
        }

        /// Multiplies `K`-byte numbers.
        #[target_feature(enable = $feature)]
        #[inline]
        fn multiply<const K: usize>(a: $V, b: $V) -> $V {
            match K {
                4 => of_ps(mul_ps(to_ps(a), to_ps(b))),
                _ => of_pd(mul_pd(to_pd(a), to_pd(b))),
            }
        }

        /// Multiplies numbers by two powers.
        #[target_feature(enable = $feature)]
        #[inline]
        fn product<const K: usize>([first, second]: &[$V; 2], number: $V) -> $V {
            multiply::<K>(multiply::<K>(number, *first), *second)
        }

        /// Converts integers to floating-point numbers. An 8-byte integer plus the bias has the
        /// bits of a number that is too large by 1.5 * 2^52. Without a bias, the integer is split
        /// into halves, and each half becomes a number with a known exponent. Subtracting the
        /// constant is exact, so only the final sum is rounded.
        ///
        /// ```text
        /// low     0x43300000 low half      2^52 + low half
        /// high    high half + 2^31, below 0x45300000:
        ///                                  2^84 + 2^63 + high half * 2^32
        /// ```
        #[target_feature(enable = $feature)]
        #[inline]
        fn converted<const K: usize, C: Conversion>(integers: $V) -> $V {
            const LOW: u64 = 0x4330_0000_0000_0000;
            const HIGH: u64 = 0x4530_0000_8000_0000;
            /// 2^84 + 2^63 + 2^52.
            const BOTH: u64 = 0x4530_0000_8010_0000;
            if K == 4 {
                return of_ps(cvtepi32_ps(integers));
            }
            of_pd(if C::SMALL {
                sub_pd(to_pd(integers), to_pd(splat::<8>(MAGIC)))
            } else {
                let low = blend_epi16::<0b1100_1100>(integers, splat::<8>(LOW));
                let high = xor(srli_epi64::<32>(integers), splat::<8>(HIGH));
                let high = sub_pd(to_pd(high), to_pd(splat::<8>(BOTH)));
                add_pd(high, to_pd(low))
            })
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn floats<const K: usize, C: Conversion>(
            plan: &Unpacker<K>,
            powers: &[$V; 2],
            from: &[u8; WINDOW],
            to: &mut [Slot; 64],
        ) {
            for i in 0..64 / $N {
                let integers = plan.unpacked::<C>(from, i);
                let numbers = product::<K>(powers, converted::<K, C>(integers));
                store(window_mut(to, $N * i), numbers);
            }
        }

        /// Broadcasts limits, as 4-byte integers or as floating-point numbers.
        #[target_feature(enable = $feature)]
        #[inline]
        fn splat_limits<const K: usize>(limits: [i64; 2]) -> [$V; 2] {
            limits.each(|limit| match K {
                4 => splat::<4>(limit.cast_unsigned()),
                _ => splat::<8>((limit as f64).to_bits()),
            })
        }

        /// Converts values to integers, 8-byte ones as floating-point numbers. Returns them, the
        /// same as floating-point numbers, and ones in the lanes that are within limits and convert
        /// back to the same value.
        #[target_feature(enable = $feature)]
        #[inline]
        fn found<const K: usize>(
            powers: &Powers<$V>,
            [least, greatest]: &[$V; 2],
            values: $V,
        ) -> [$V; 3] {
            if K == 4 {
                // Numbers out of range become the least integer.
                let integers = cvtps_epi32(to_ps(product::<K>(&powers.to_integer, values)));
                let numbers = of_ps(cvtepi32_ps(integers));
                let again = product::<K>(&powers.to_value, numbers);
                let low = cmpgt_epi32(*least, integers);
                let high = cmpgt_epi32(integers, *greatest);
                let same = cmpeq_epi32(again, values);
                [integers, numbers, andnot(or(low, high), same)]
            } else {
                // The other power is 1. Adding zero turns -0.0 into 0.0.
                let numbers = multiply::<K>(values, powers.to_integer[0]);
                let zero = to_pd(splat::<8>(0));
                let integers = add_pd(round_pd::<NEAREST>(to_pd(numbers)), zero);
                let again = product::<K>(&powers.to_value, of_pd(integers));
                let low = of_pd(cmple_pd(to_pd(*least), integers));
                let high = of_pd(cmple_pd(integers, to_pd(*greatest)));
                let same = cmpeq_epi64(again, values);
                [of_pd(integers), of_pd(integers), and(and(low, high), same)]
            }
        }

        /// Rounds to the nearest integer, ties to even, without raising exceptions.
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

        /// Returns the least and the greatest integer, as floating-point numbers, and minus the
        /// number of integers, of each lane. The integers of 4-byte numbers have no more digits than
        /// these, so nothing is rounded.
        #[target_feature(enable = $feature)]
        #[inline]
        fn nothing<const K: usize>() -> [$V; 3] {
            let bits = |end: f64| match K {
                4 => u64::from((end as f32).to_bits()),
                _ => end.to_bits(),
            };
            [bits(f64::INFINITY), bits(f64::NEG_INFINITY), 0].each(|bits| splat::<K>(bits))
        }

        /// Returns the lesser numbers; where `a` is not a number, those of `b`.
        #[target_feature(enable = $feature)]
        #[inline]
        fn lesser<const K: usize>(a: $V, b: $V) -> $V {
            match K {
                4 => of_ps(min_ps(to_ps(a), to_ps(b))),
                _ => of_pd(min_pd(to_pd(a), to_pd(b))),
            }
        }

        /// Returns the greater numbers; where `a` is not a number, those of `b`.
        #[target_feature(enable = $feature)]
        #[inline]
        fn greater<const K: usize>(a: $V, b: $V) -> $V {
            match K {
                4 => of_ps(max_ps(to_ps(a), to_ps(b))),
                _ => of_pd(max_pd(to_pd(a), to_pd(b))),
            }
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn weigh<const K: usize>(
            powers: &Powers<$V>,
            limits: &[$V; 2],
            from: &[u8; 64],
            found: &mut [$V; 3],
        ) {
            for i in 0..64 / $N {
                let values = load(window(from, $N * i));
                let [_, numbers, same] = self::found::<K>(powers, limits, values);
                // The other lanes are all ones, which is not a number.
                let numbers = or(numbers, andnot(same, splat::<K>(!0)));
                let [least, greatest, count] = *found;
                *found = [
                    lesser::<K>(numbers, least),
                    greater::<K>(numbers, greatest),
                    add::<K>(count, same),
                ];
            }
        }

        /// Returns one bit per value, set where a lane has ones.
        #[target_feature(enable = $feature)]
        #[inline]
        fn bits_of<const K: usize>(lanes: $V) -> u32 {
            match K {
                4 => movemask_ps(to_ps(lanes)).cast_unsigned(),
                _ => movemask_pd(to_pd(lanes)).cast_unsigned(),
            }
        }

        /// Returns one bit per value, set for exceptions.
        #[target_feature(enable = $feature)]
        #[inline]
        fn exceptions_of<const K: usize>(same: $V) -> u32 {
            !bits_of::<K>(same) & ((1 << ($N / K)) - 1)
        }

        /// Returns the first of the numbers, or the sum or the least of all, by an operation on lanes.
        macro_rules! first_of_all {
            ($K:ident, $lanes:expr, $operation:path) => {{
                let mut lanes = $lanes;
                if $N == 32 {
                    lanes = $operation(lanes, swap_halves(lanes));
                }
                lanes = $operation(lanes, shuffle_epi32::<0b01_00_11_10>(lanes));
                if $K == 4 {
                    lanes = $operation(lanes, shuffle_epi32::<0b10_11_00_01>(lanes));
                }
                let mut bytes = [0; $N];
                store(&mut bytes, lanes);
                from_ne_bytes(*window::<$K, _>(&bytes, 0))
            }};
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn count<const K: usize>([_, _, count]: [$V; 3]) -> usize {
            let count = first_of_all!(K, count, add::<K>);
            match K {
                4 => (count as u32).wrapping_neg() as usize,
                _ => count.wrapping_neg() as usize,
            }
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn ends<const K: usize>([least, greatest, _]: [$V; 3]) -> [i64; 2] {
            let least = first_of_all!(K, least, lesser::<K>);
            let greatest = first_of_all!(K, greatest, greater::<K>);
            [least, greatest].each(|bits| match K {
                4 => f32::from_bits(bits as u32) as i64,
                _ => f64::from_bits(bits) as i64,
            })
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn likely<const K: usize>(power: u64, from: &[u8; 64]) -> u32 {
            let [share, greatest] = tolerance::<K>().each(|bits| splat::<K>(bits));
            let positive = splat::<K>(!(1 << (8 * K - 1)));
            let power = splat::<K>(power);
            let mut likely = 0;
            for i in 0..64 / $N {
                let product = multiply::<K>(load(window(from, $N * i)), power);
                let product = and(product, positive);
                let tolerance = multiply::<K>(product, share);
                let lanes = if K == 4 {
                    let product = to_ps(product);
                    let distance = sub_ps(product, round_ps::<NEAREST>(product));
                    let distance = to_ps(and(of_ps(distance), positive));
                    let near = of_ps(cmple_ps(distance, to_ps(tolerance)));
                    and(near, of_ps(cmple_ps(product, to_ps(greatest))))
                } else {
                    let product = to_pd(product);
                    let distance = sub_pd(product, round_pd::<NEAREST>(product));
                    let distance = to_pd(and(of_pd(distance), positive));
                    let near = of_pd(cmple_pd(distance, to_pd(tolerance)));
                    and(near, of_pd(cmple_pd(product, to_pd(greatest))))
                };
                likely |= bits_of::<K>(lanes) << ($N / K * i);
            }
            likely
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn integers<const K: usize>(
            powers: &Powers<$V>,
            limits: &[$V; 2],
            other: u64,
            from: &[u8; 64],
            to: &mut [u8; 64],
        ) -> u32 {
            let mut exceptions = 0;
            for i in 0..64 / $N {
                let [integers, _, same] = found::<K>(powers, limits, load(window(from, $N * i)));
                let integers = match K {
                    4 => integers,
                    _ => of_pd(add_pd(to_pd(integers), to_pd(splat::<8>(MAGIC)))),
                };
                let integers = blendv_epi8(splat::<K>(other), integers, same);
                store(window_mut(to, $N * i), integers);
                exceptions |= exceptions_of::<K>(same) << ($N / K * i);
            }
            exceptions
        }
    };
}
pub(super) use without_masks;
