//! NumPy, where it is installed.

use crate::dtype::DType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What NumPy has. Its types of numbers are looked up once: finding one by its name costs more than a new
/// array.
pub struct NumPy {
    from_buffer: Py<PyAny>,
    empty: Py<PyAny>,
    /// A type for each of [`DType::ALL`].
    dtypes: Vec<Py<PyAny>>,
}

impl NumPy {
    fn new(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("numpy")?;
        let dtype = |it: &DType| Ok(module.call_method1("dtype", (it.name(),))?.unbind());
        Ok(Self {
            from_buffer: module.getattr("frombuffer")?.unbind(),
            empty: module.getattr("empty")?.unbind(),
            dtypes: DType::ALL.iter().map(dtype).collect::<PyResult<_>>()?,
        })
    }

    /// The type that one of NumPy's own objects for types stands for.
    pub fn known(&self, dtype: &Bound<'_, PyAny>) -> Option<DType> {
        let place = self.dtypes.iter().position(|it| it.is(dtype))?;
        Some(DType::ALL[place])
    }

    /// The numbers in some memory.
    pub fn array<'py>(
        &self,
        memory: Bound<'py, PyAny>,
        dtype: DType,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = memory.py();
        let place = DType::ALL.iter().position(|it| *it == dtype);
        let dtype = place.map(|place| self.dtypes[place].bind(py));
        match memory.len()? {
            // Which `frombuffer` refuses.
            0 => self.empty.bind(py).call1((0, dtype)),
            _ => self.from_buffer.bind(py).call1((memory, dtype)),
        }
    }
}

/// NumPy, if it is installed.
pub fn numpy(py: Python<'_>) -> Option<&NumPy> {
    static NUMPY: PyOnceLock<Option<NumPy>> = PyOnceLock::new();
    NUMPY.get_or_init(py, || NumPy::new(py).ok()).as_ref()
}
