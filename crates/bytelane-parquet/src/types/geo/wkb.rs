//! Reads geometries in WKB: <https://libgeos.org/specifications/wkb/>.

/// Flags of the dialect of PostGIS: geometries with Z, with M, and with the number of a coordinate system.
const EWKB: [u32; 3] = [0x8000_0000, 0x4000_0000, 0x2000_0000];

/// Type of the elements of collections that contain any type.
const COLLECTION: u32 = 7;

/// Bytes that have not been read, in the byte order of the geometry.
struct Rest<'a> {
    bytes: &'a [u8],
    is_little: bool,
}

impl Rest<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }

    fn integer(&mut self) -> Option<u32> {
        let bytes = self.take()?;
        Some(if self.is_little {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        })
    }

    fn number(&mut self) -> Option<f64> {
        let bytes = self.take()?;
        Some(if self.is_little {
            f64::from_le_bytes(bytes)
        } else {
            f64::from_be_bytes(bytes)
        })
    }

    /// Returns the type of the geometry that begins here, with 1000 for Z and 2000 for M.
    fn header(&mut self) -> Option<u32> {
        self.is_little = match self.take()? {
            [0] => false,
            [1] => true,
            _ => return None,
        };
        let code = self.integer()?;
        let [has_z, has_m, has_system] = EWKB.map(|flag| code & flag != 0);
        if has_system {
            self.integer()?;
        }
        let code = code & !EWKB.iter().fold(0, |all, flag| all | flag);
        Some(code + 1000 * u32::from(has_z) + 2000 * u32::from(has_m))
    }
}

/// Calls a function with x, y, z and m of each vertex of a geometry; those that it lacks are NaN. Returns the type of the
/// geometry, with 1000 for Z and 2000 for M, or `None` if the bytes are not a geometry of the types 1 to 7.
pub fn vertices(bytes: &[u8], mut take: impl FnMut([f64; 4])) -> Option<u32> {
    let mut rest = Rest {
        bytes,
        is_little: true,
    };
    let mut first = None;
    // Number of geometries that are still to come, for each collection that contains the next one.
    let mut open = vec![1_u32];
    while let Some(left) = open.last_mut() {
        let Some(fewer) = left.checked_sub(1) else {
            open.pop();
            continue;
        };
        *left = fewer;
        let code = rest.header()?;
        first.get_or_insert(code);
        let has_z = matches!(code / 1000, 1 | 3);
        let has_m = matches!(code / 1000, 2 | 3);
        let mut line = |rest: &mut Rest<'_>, points: u32| {
            for _ in 0..points {
                let (x, y) = (rest.number()?, rest.number()?);
                let z = if has_z { rest.number()? } else { f64::NAN };
                let m = if has_m { rest.number()? } else { f64::NAN };
                take([x, y, z, m]);
            }
            Some(())
        };
        match code % 1000 {
            _ if code >= 4000 => return None,
            1 => line(&mut rest, 1)?,
            2 => {
                let points = rest.integer()?;
                line(&mut rest, points)?;
            }
            3 => {
                for _ in 0..rest.integer()? {
                    let points = rest.integer()?;
                    line(&mut rest, points)?;
                }
            }
            4..=COLLECTION => open.push(rest.integer()?),
            _ => return None,
        }
    }
    rest.bytes.is_empty().then_some(first)?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Option<(u32, Vec<[f64; 4]>)> {
        let mut found = Vec::new();
        let code = vertices(bytes, |vertex| found.push(vertex))?;
        Some((code, found))
    }

    fn point(x: f64, y: f64) -> Vec<u8> {
        let head = [&[1][..], &1_u32.to_le_bytes()].concat();
        [&head[..], &x.to_le_bytes(), &y.to_le_bytes()].concat()
    }

    #[test]
    fn vertices_of_all_parts_are_found() {
        let collection = [&[0][..], &7_u32.to_be_bytes(), &2_u32.to_be_bytes()].concat();
        let inner = [&[1][..], &4_u32.to_le_bytes(), &1_u32.to_le_bytes()].concat();
        let bytes = [collection, inner, point(1.0, 2.0), point(3.0, 4.0)].concat();
        let (code, found) = all(&bytes).unwrap();
        assert_eq!(code, 7);
        let found: Vec<_> = found.iter().map(|it| (it[0], it[1])).collect();
        assert_eq!(found, [(1.0, 2.0), (3.0, 4.0)]);
        assert!((0..bytes.len()).all(|end| all(&bytes[..end]).is_none()));
    }

    #[test]
    fn both_dialects_have_z_and_m() {
        for code in [3001, 0xe000_0001_u32] {
            let mut bytes = [&[1][..], &code.to_le_bytes()].concat();
            if code > 4000 {
                bytes.extend(4326_u32.to_le_bytes());
            }
            let coordinates = [1.0, 2.0, 3.0, 4.0_f64];
            bytes.extend(coordinates.iter().flat_map(|it| it.to_le_bytes()));
            assert_eq!(all(&bytes), Some((3001, vec![coordinates])));
        }
    }

    #[test]
    fn other_bytes_are_no_geometries() {
        let many = [&[1][..], &7_u32.to_le_bytes(), &[255; 4]].concat();
        let unknown = [&[1][..], &8_u32.to_le_bytes(), &[0; 16]].concat();
        let longer = [point(0.0, 0.0), vec![0]].concat();
        for bytes in [&[][..], b"text", &[2; 21], &many, &unknown, &longer] {
            assert_eq!(all(bytes), None);
        }
    }
}
