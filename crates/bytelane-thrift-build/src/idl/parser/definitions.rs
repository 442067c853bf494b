//! Constants and types.

use super::Parser;
use crate::idl::lexer::Token;
use crate::idl::source::Error;
use crate::idl::syntax::*;

impl Parser<'_> {
    /// Parses a definition, after the comment and the annotations before it.
    pub(super) fn definition(
        &mut self,
        documentation: Option<String>,
        mut annotations: Vec<Annotation>,
    ) -> Result<Definition, Error> {
        let documentation = documentation.or_else(|| self.peek().documentation.clone());
        let Name {
            text: mut keyword,
            place,
        } = self.name("a definition")?;
        // fbthrift's qualifiers of exceptions: `safe permanent client exception`.
        while matches!(
            &*keyword,
            "safe" | "transient" | "stateful" | "permanent" | "client" | "server"
        ) {
            keyword = self.name("`exception`")?.text;
        }
        let (name, kind) = match &*keyword {
            "const" => {
                let ty = self.ty()?;
                let name = self.plain_name("the name of a constant")?;
                self.symbol('=')?;
                (name, Kind::Const(ty, self.value()?))
            }
            "typedef" => {
                let ty = self.annotated_type(&mut annotations)?;
                (self.plain_name("the name of a type")?, Kind::Typedef(ty))
            }
            "enum" => (
                self.plain_name("the name of an enum")?,
                Kind::Enum(self.variants()?),
            ),
            // Long deprecated: an enum whose values are texts, a string on the wire.
            "senum" => {
                let name = self.plain_name("the name of an enum")?;
                self.symbol('{')?;
                while !self.take('}') {
                    self.string("a text")?;
                    self.separator();
                }
                (name, Kind::Typedef(Type::Base(Base::String)))
            }
            "struct" => self.structure(Shape::Struct)?,
            "union" => self.structure(Shape::Union)?,
            "exception" => self.structure(Shape::Exception)?,
            "service" => self.service()?,
            "interaction" => self.interaction()?,
            _ => {
                let message = format!(
                    "expected const, typedef, enum, struct, union, exception, service or interaction, found `{keyword}`"
                );
                return self.error(place, message);
            }
        };
        annotations.extend(self.annotations()?);
        Ok(Definition {
            name,
            documentation,
            annotations,
            kind,
        })
    }

    fn variants(&mut self) -> Result<Vec<Variant>, Error> {
        self.symbol('{')?;
        let mut variants: Vec<Variant> = Vec::new();
        while !self.take('}') {
            let (mut documentation, mut annotations) = self.introduction()?;
            let name = self.name("the name of a number, or `}`")?;
            let value = if self.take('=') {
                i64::from(self.integer::<i32>("a number of 32 bits")?)
            } else {
                variants.last().map_or(0, |last| i64::from(last.value) + 1)
            };
            let Ok(value) = i32::try_from(value) else {
                return self.error(name.place, format!("{value} does not fit in 32 bits"));
            };
            if let Some(twin) = variants.iter().find(|twin| twin.name.text == name.text) {
                let message = format!("`{}` is already defined, as {}", name.text, twin.value);
                return self.error(name.place, message);
            }
            annotations.extend(self.annotations()?);
            self.separator();
            self.afterword(&mut documentation);
            variants.push(Variant {
                name,
                value,
                documentation,
                annotations,
            });
        }
        Ok(variants)
    }

    /// Parses the comment and the annotations before an item.
    pub(super) fn introduction(&mut self) -> Result<(Option<String>, Vec<Annotation>), Error> {
        let before = self.peek().documentation.clone();
        let annotations = self.structured_annotations()?;
        let documentation = before.or_else(|| self.peek().documentation.clone());
        Ok((documentation, annotations))
    }

    /// Uses the comment after an item, unless it has one before it.
    fn afterword(&self, documentation: &mut Option<String>) {
        if documentation.is_none() {
            documentation.clone_from(&self.peek().afterword);
        }
    }

    fn integer<T: TryFrom<i64>>(&mut self, what: &str) -> Result<T, Error> {
        if let Token::Integer(number) = self.peek().token
            && let Ok(number) = T::try_from(number)
        {
            self.next();
            return Ok(number);
        }
        self.expected(what)
    }

    fn structure(&mut self, shape: Shape) -> Result<(Name, Kind), Error> {
        let name = self.plain_name("a name")?;
        self.take_word("xsd_all");
        self.symbol('{')?;
        Ok((name, Kind::Struct(shape, self.fields('}')?)))
    }

    pub(super) fn fields(&mut self, end: char) -> Result<Vec<Field>, Error> {
        let mut fields: Vec<Field> = Vec::new();
        let mut without_id = 0;
        while !self.take(end) {
            let place = self.peek().place;
            let field = self.field(&mut without_id)?;
            for other in &fields {
                if other.id == field.id {
                    let message = format!(
                        "the field `{}` already has the id {}",
                        other.name.text, field.id
                    );
                    return self.error(place, message);
                }
                if other.name.text == field.name.text {
                    let message = format!("there is already a field `{}`", other.name.text);
                    return self.error(field.name.place, message);
                }
            }
            fields.push(field);
        }
        Ok(fields)
    }

    fn field(&mut self, without_id: &mut i16) -> Result<Field, Error> {
        let (mut documentation, mut annotations) = self.introduction()?;
        let given = if matches!(self.peek().token, Token::Integer(_)) {
            let id = self.integer("an id of 16 bits")?;
            self.symbol(':')?;
            id
        } else {
            0
        };
        // Ids below 1 are ignored, as in Apache's compiler without its option `allow-neg-keys`.
        let id = if given > 0 {
            given
        } else {
            *without_id -= 1;
            *without_id
        };
        let requiredness = if self.take_word("required") {
            Requiredness::Required
        } else if self.take_word("optional") {
            Requiredness::Optional
        } else {
            Requiredness::Default
        };
        let ty = self.annotated_type(&mut annotations)?;
        // A reference in C++; here, recursive fields are detected automatically.
        self.take('&');
        let name = self.plain_name("the name of a field")?;
        let default = if self.take('=') {
            Some(self.value()?)
        } else {
            None
        };
        self.take_word("xsd_optional");
        self.take_word("xsd_nillable");
        if self.take_word("xsd_attrs") {
            self.symbol('{')?;
            self.fields('}')?;
        }
        annotations.extend(self.annotations()?);
        self.separator();
        self.afterword(&mut documentation);
        Ok(Field {
            id,
            requiredness,
            ty,
            name,
            default,
            documentation,
            annotations,
        })
    }
}
