//! Code shared by SSE4.1 and AVX2. They differ in the register length and in the names of the
//! intrinsics, which each of them imports without its prefix.

/// Implements the traits for a token, with registers `$V` of `$N` bytes.
macro_rules! without_masks {
    ($Token:ident $feature:literal $V:ident $N:literal) => {
        implement! {
            impl<const K: usize> Steps<K> for $Token {
                const BIAS: u64 = if K == 8 { MAGIC } else { 0 };
                type Number = $V;
                type Range = [$V; 2];
                type Limits = [$V; 2];
                fn numbers(numbers: [u64; 2]) -> [$V; 2] = splat_numbers::<K>;
                fn limits(limits: [i64; 2]) -> [$V; 2] = splat_limits::<K>;
                fn range() -> [$V; 2] = no_range::<K>;
                fn weigh(powers: &Powers<$V>, limits: &[$V; 2], from: &[u8; 64], range: &mut [$V; 2]) -> u32 = weigh::<K>;
                fn weigh_blocks(powers: &Powers<$V>, limits: &[$V; 2], from: &[[u8; 64]], most: usize, range: &mut [$V; 2]) -> Option<usize> => encode::weigh_blocks::<K, _>;
                fn ends(range: [$V; 2]) -> [i64; 2] = ends::<K>;
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
            numbers.map(|number| splat::<K>(number))
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
            limits.map(|limit| match K {
                4 => splat::<4>(limit.cast_unsigned()),
                _ => splat::<8>((limit as f64).to_bits()),
            })
        }

        /// Converts values to integers, 8-byte ones as floating-point numbers. Returns them, and
        /// ones in the lanes that are within limits and convert back to the same value.
        #[target_feature(enable = $feature)]
        #[inline]
        fn found<const K: usize>(
            powers: &Powers<$V>,
            [least, greatest]: &[$V; 2],
            values: $V,
        ) -> [$V; 2] {
            let numbers = product::<K>(&powers.to_integer, values);
            if K == 4 {
                // Numbers out of range become the least integer.
                let integers = cvtps_epi32(to_ps(numbers));
                let again = product::<K>(&powers.to_value, of_ps(cvtepi32_ps(integers)));
                let low = cmpgt_epi32(*least, integers);
                let high = cmpgt_epi32(integers, *greatest);
                let same = cmpeq_epi32(again, values);
                [integers, andnot(low, andnot(high, same))]
            } else {
                // Adding zero turns -0.0 into 0.0.
                let zero = to_pd(splat::<8>(0));
                let integers = add_pd(round_pd::<NEAREST>(to_pd(numbers)), zero);
                let again = product::<K>(&powers.to_value, of_pd(integers));
                let low = of_pd(cmple_pd(to_pd(*least), integers));
                let high = of_pd(cmple_pd(integers, to_pd(*greatest)));
                let same = cmpeq_epi64(again, values);
                [of_pd(integers), and(low, and(high, same))]
            }
        }

        /// Rounds to the nearest integer, ties to even, without raising exceptions.
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

        #[target_feature(enable = $feature)]
        #[inline]
        fn no_range<const K: usize>() -> [$V; 2] {
            match K {
                4 => [splat::<4>(0x7fff_ffff), splat::<4>(0x8000_0000)],
                _ => [f64::INFINITY, f64::NEG_INFINITY].map(|end| splat::<8>(end.to_bits())),
            }
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn weigh<const K: usize>(
            powers: &Powers<$V>,
            limits: &[$V; 2],
            from: &[u8; 64],
            range: &mut [$V; 2],
        ) -> u32 {
            let mut exceptions = 0;
            for i in 0..64 / $N {
                let [integers, same] = found::<K>(powers, limits, load(window(from, $N * i)));
                let [least, greatest] = *range;
                let [low, high] = [least, greatest].map(|end| blendv_epi8(end, integers, same));
                *range = match K {
                    4 => [min_epi32(least, low), max_epi32(greatest, high)],
                    _ => [
                        of_pd(min_pd(to_pd(least), to_pd(low))),
                        of_pd(max_pd(to_pd(greatest), to_pd(high))),
                    ],
                };
                exceptions |= exceptions_of::<K>(same) << ($N / K * i);
            }
            exceptions
        }

        /// Returns one bit per value, set for exceptions.
        #[target_feature(enable = $feature)]
        #[inline]
        fn exceptions_of<const K: usize>(same: $V) -> u32 {
            let same = match K {
                4 => movemask_ps(to_ps(same)),
                _ => movemask_pd(to_pd(same)),
            };
            !same.cast_unsigned() & ((1 << ($N / K)) - 1)
        }

        #[target_feature(enable = $feature)]
        #[inline]
        fn ends<const K: usize>([least, greatest]: [$V; 2]) -> [i64; 2] {
            let mut ends = [[0; $N]; 2];
            store(&mut ends[0], least);
            store(&mut ends[1], greatest);
            let number = |&number: &[u8; K]| match K {
                4 => i64::from(from_ne_bytes(number) as i32),
                _ => f64::from_bits(from_ne_bytes(number)) as i64,
            };
            let [least, greatest] = ends.each_ref().map(|end| end.as_chunks().0.iter().map(number));
            [least.fold(i64::MAX, i64::min), greatest.fold(i64::MIN, i64::max)]
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
                let [integers, same] = found::<K>(powers, limits, load(window(from, $N * i)));
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
