//! Tokens to definitions: the IDL of Apache Thrift, by recursive descent.

use crate::lexer::{Lexed, Token, lex};
use crate::source::{Error, Place, SharedSource};
use crate::syntax::*;

/// Types and values may be nested this deep.
const DEPTH: usize = 64;

/// Reads a file.
pub(crate) fn parse(source: &SharedSource) -> Result<Document, Error> {
    let tokens = lex(source)?;
    Parser {
        source,
        tokens,
        at: 0,
        depth: 0,
    }
    .document()
}

struct Parser<'a> {
    source: &'a SharedSource,
    tokens: Vec<Lexed>,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Lexed {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> Lexed {
        let lexed = self.tokens[self.at].clone();
        self.at = usize::min(self.at + 1, self.tokens.len() - 1);
        lexed
    }

    fn error<T>(&self, place: Place, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::at(self.source, place, message))
    }

    /// What should stand where something else does.
    fn expected<T>(&self, what: &str) -> Result<T, Error> {
        let found = self.peek();
        self.error(
            found.place,
            format!("expected {what}, found {}", found.token.describe()),
        )
    }

    /// Takes a symbol if it comes next.
    fn take(&mut self, symbol: char) -> bool {
        let there = self.peek().token == Token::Symbol(symbol);
        self.at += usize::from(there);
        there
    }

    /// Takes a word if it comes next.
    fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(&self.peek().token, Token::Word(next) if next == word);
        self.at += usize::from(there);
        there
    }

    fn symbol(&mut self, symbol: char) -> Result<(), Error> {
        if self.take(symbol) {
            Ok(())
        } else {
            self.expected(&format!("`{symbol}`"))
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, Error> {
        match &self.peek().token {
            Token::Word(text) => {
                let name = Name {
                    text: text.clone(),
                    place: self.peek().place,
                };
                self.next();
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    /// A name of our own making: no dots, no hyphens.
    fn plain_name(&mut self, what: &str) -> Result<Name, Error> {
        let name = self.name(what)?;
        if let Some(at) = name.text.find(['.', '-']) {
            let message = format!("{what} cannot contain `{}`", &name.text[at..=at]);
            return self.error(Place(name.place.0 + at), message);
        }
        Ok(name)
    }

    fn string(&mut self, what: &str) -> Result<Name, Error> {
        match &self.peek().token {
            Token::String(text) => {
                let name = Name {
                    text: text.clone(),
                    place: self.peek().place,
                };
                self.next();
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    /// `,` or `;` or nothing.
    fn separator(&mut self) {
        let _ = self.take(',') || self.take(';');
    }

    fn document(mut self) -> Result<Document, Error> {
        let mut document = Document::default();
        while self.peek().token != Token::End {
            if !self.header(&mut document)? {
                let definition = self.definition()?;
                document.definitions.push(definition);
            }
            self.separator();
        }
        Ok(document)
    }

    fn header(&mut self, document: &mut Document) -> Result<bool, Error> {
        let Token::Word(word) = self.peek().token.clone() else {
            return Ok(false);
        };
        match &*word {
            "include" => {
                self.next();
                let path = self.string("a quoted file path")?;
                document.includes.push(path);
            }
            "cpp_include" | "hs_include" => {
                self.next();
                self.string("a quoted header name")?;
            }
            "namespace" => {
                self.next();
                let scope = if self.take('*') {
                    "*".to_owned()
                } else {
                    self.name("a language")?.text
                };
                let name = self.namespace()?;
                self.annotations()?;
                document.namespaces.push((scope, name));
            }
            // As they were written before 0.2.
            "cpp_namespace" | "php_namespace" | "py_module" | "perl_package" | "ruby_namespace"
            | "smalltalk_category" | "smalltalk_prefix" | "java_package" | "cocoa_prefix"
            | "csharp_namespace" | "delphi_namespace" | "xsd_namespace" => {
                self.next();
                self.namespace()?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn namespace(&mut self) -> Result<Name, Error> {
        match self.peek().token {
            Token::String(_) => self.string("a namespace"),
            _ => self.name("a namespace"),
        }
    }

    fn definition(&mut self) -> Result<Definition, Error> {
        let Lexed {
            documentation,
            place,
            ..
        } = self.peek().clone();
        let keyword = self.name("a definition")?.text;
        let (name, kind) = match &*keyword {
            "const" => {
                let ty = self.ty()?;
                let name = self.plain_name("the name of a constant")?;
                self.symbol('=')?;
                (name, Kind::Const(ty, self.value()?))
            }
            "typedef" => {
                let ty = self.ty()?;
                (self.plain_name("the name of a type")?, Kind::Typedef(ty))
            }
            "enum" => (
                self.plain_name("the name of an enum")?,
                Kind::Enum(self.variants()?),
            ),
            // Deprecated since ever: an enum whose values are texts, a string on the wire.
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
            _ => {
                let message = format!(
                    "expected const, typedef, enum, struct, union, exception or service, found `{keyword}`"
                );
                return self.error(place, message);
            }
        };
        let annotations = self.annotations()?;
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
            let documentation = self.peek().documentation.clone();
            let name = self.plain_name("the name of a number, or `}`")?;
            let value = match self.take('=') {
                true => i64::from(self.integer::<i32>("a number of 32 bits")?),
                false => variants.last().map_or(0, |last| i64::from(last.value) + 1),
            };
            let Ok(value) = i32::try_from(value) else {
                return self.error(name.place, format!("{value} does not fit in 32 bits"));
            };
            if let Some(twin) = variants.iter().find(|twin| twin.name.text == name.text) {
                let message = format!("`{}` is already defined, as {}", name.text, twin.value);
                return self.error(name.place, message);
            }
            self.annotations()?;
            self.separator();
            variants.push(Variant {
                name,
                value,
                documentation,
            });
        }
        Ok(variants)
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

    fn fields(&mut self, end: char) -> Result<Vec<Field>, Error> {
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
        let documentation = self.peek().documentation.clone();
        let given = if matches!(self.peek().token, Token::Integer(_)) {
            let id = self.integer("an id of 16 bits")?;
            self.symbol(':')?;
            id
        } else {
            0
        };
        // As the compiler of Apache does without its option `allow-neg-keys`: ids below 1 are as
        // none.
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
        let ty = self.ty()?;
        // A reference in C++; recursive fields are found out here.
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
        let annotations = self.annotations()?;
        self.separator();
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

    fn service(&mut self) -> Result<(Name, Kind), Error> {
        let name = self.plain_name("the name of a service")?;
        let parent = if self.take_word("extends") {
            Some(self.name("a service")?)
        } else {
            None
        };
        self.symbol('{')?;
        let mut functions: Vec<Function> = Vec::new();
        while !self.take('}') {
            let function = self.function()?;
            if functions
                .iter()
                .any(|other| other.name.text == function.name.text)
            {
                let message = format!("there is already a function `{}`", function.name.text);
                return self.error(function.name.place, message);
            }
            functions.push(function);
        }
        Ok((name, Kind::Service(parent, functions)))
    }

    fn function(&mut self) -> Result<Function, Error> {
        let documentation = self.peek().documentation.clone();
        let oneway = self.take_word("oneway") || self.take_word("async");
        let returns = if self.take_word("void") {
            None
        } else {
            Some(self.ty()?)
        };
        let name = self.plain_name("the name of a function")?;
        self.symbol('(')?;
        let arguments = self.fields(')')?;
        let mut throws = Vec::new();
        if self.take_word("throws") {
            self.symbol('(')?;
            throws = self.fields(')')?;
        }
        self.annotations()?;
        self.separator();
        Ok(Function {
            name,
            oneway,
            returns,
            arguments,
            throws,
            documentation,
        })
    }

    /// One step deeper into a type or a value.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == DEPTH {
            return self.error(self.peek().place, format!("nested more than {DEPTH} deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn ty(&mut self) -> Result<Type, Error> {
        let name = self.name("a type")?;
        let ty = match &*name.text {
            "bool" => Type::Base(Base::Bool),
            "byte" | "i8" => Type::Base(Base::I8),
            "i16" => Type::Base(Base::I16),
            "i32" => Type::Base(Base::I32),
            "i64" => Type::Base(Base::I64),
            "double" => Type::Base(Base::Double),
            "string" | "slist" => Type::Base(Base::String),
            "binary" => Type::Base(Base::Binary),
            "uuid" => Type::Base(Base::Uuid),
            "list" => {
                let [element] = self.parameters()?;
                self.cpp_type()?;
                Type::List(Box::new(element))
            }
            "set" => {
                self.cpp_type()?;
                let [element] = self.parameters()?;
                Type::Set(Box::new(element))
            }
            "map" => {
                self.cpp_type()?;
                let [key, value] = self.parameters()?;
                Type::Map(Box::new(key), Box::new(value))
            }
            _ => Type::Named(name),
        };
        self.annotations()?;
        Ok(ty)
    }

    /// `<A>` or `<A, B>`.
    fn parameters<const N: usize>(&mut self) -> Result<[Type; N], Error> {
        self.symbol('<')?;
        let mut types = Vec::with_capacity(N);
        for i in 0..N {
            if i > 0 {
                self.symbol(',')?;
            }
            types.push(self.nested(Self::ty)?);
        }
        self.symbol('>')?;
        Ok(types.try_into().expect("as many as were read"))
    }

    fn cpp_type(&mut self) -> Result<(), Error> {
        if self.take_word("cpp_type") {
            self.string("a quoted C++ type")?;
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Value, Error> {
        let Lexed { token, place, .. } = self.peek().clone();
        let kind = match token {
            Token::Integer(number) => Literal::Integer(number),
            Token::Double(number) => Literal::Double(number),
            Token::String(text) => Literal::String(text),
            Token::Word(name) => Literal::Name(name),
            Token::Symbol('[') => {
                self.next();
                let mut values = Vec::new();
                while !self.take(']') {
                    values.push(self.nested(Self::value)?);
                    self.separator();
                }
                return Ok(Value {
                    place,
                    kind: Literal::List(values),
                });
            }
            Token::Symbol('{') => {
                self.next();
                let mut entries = Vec::new();
                while !self.take('}') {
                    let key = self.nested(Self::value)?;
                    self.symbol(':')?;
                    entries.push((key, self.nested(Self::value)?));
                    self.separator();
                }
                return Ok(Value {
                    place,
                    kind: Literal::Map(entries),
                });
            }
            Token::Symbol(_) | Token::End => return self.expected("a value"),
        };
        self.next();
        Ok(Value { place, kind })
    }

    /// `(a = "b", c)` or nothing.
    fn annotations(&mut self) -> Result<Vec<Annotation>, Error> {
        let mut annotations = Vec::new();
        if !self.take('(') {
            return Ok(annotations);
        }
        while !self.take(')') {
            let key = self.name("an annotation")?.text;
            let value = match self.take('=') {
                true => self.string("a quoted string")?.text,
                false => "1".to_owned(),
            };
            self.separator();
            annotations.push(Annotation { key, value });
        }
        Ok(annotations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use std::sync::Arc;

    fn read(text: &str) -> Result<Document, String> {
        let source = Arc::new(Source {
            path: "t.thrift".into(),
            text: text.to_owned(),
        });
        parse(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_every_construct() {
        let text = r#"
            include "shared.thrift"
            cpp_include "<map>"
            namespace * all
            namespace rs bytelane.example (a = "b")
            php_namespace old
            const map<string, list<i32>> M = {"a": [1, 2], 'b': []}
            typedef list<map<i32, set<string>>> (x = "y") Nested
            enum Color { RED, GREEN = 0x5; BLUE }
            senum Words { "one", "two" }
            struct S xsd_all {
                1: required i32 a = -1, 2: optional shared.T b (c), string d;
                -7: set cpp_type "x" <double> e xsd_optional,
                8: S & f
            } (final)
            union U { 1: S s }
            exception E { 1: string message }
            service Base { void ping() }
            service Derived extends shared.Base {
                oneway void go(1: i32 x),
                /** Adds. */ i64 add(1: i64 a, 2: i64 b) throws (1: E e) (d = "e");
            }
        "#;
        let document = read(text).unwrap();
        assert_eq!(document.includes[0].text, "shared.thrift");
        assert_eq!(document.namespaces[1].1.text, "bytelane.example");
        assert_eq!(document.definitions.len(), 9);
        let Kind::Enum(colors) = &document.definitions[2].kind else {
            panic!("an enum")
        };
        assert_eq!(
            colors.iter().map(|color| color.value).collect::<Vec<_>>(),
            [0, 5, 6]
        );
        let Kind::Struct(Shape::Struct, fields) = &document.definitions[4].kind else {
            panic!("a struct")
        };
        assert_eq!(
            fields.iter().map(|field| field.id).collect::<Vec<_>>(),
            [1, 2, -1, -2, 8]
        );
        let Kind::Service(Some(parent), functions) = &document.definitions[8].kind else {
            panic!("a service")
        };
        assert_eq!(parent.text, "shared.Base");
        assert!(functions[0].oneway && functions[1].throws.len() == 1);
        assert_eq!(functions[1].documentation.as_deref(), Some("Adds."));
    }

    #[test]
    fn errors_name_the_place() {
        let message = |text: &str| read(text).unwrap_err().lines().next().unwrap().to_owned();
        let cases = [
            (
                "strukt A {}",
                "1:1: expected const, typedef, enum, struct, union, exception or service, found `strukt`",
            ),
            ("struct A {\n 1 i32 a }", "2:4: expected `:`, found `i32`"),
            (
                "struct A { 1: i32 a, 1: i32 b }",
                "1:22: the field `a` already has the id 1",
            ),
            (
                "struct A { 1: i32 a, 2: i32 a }",
                "1:29: there is already a field `a`",
            ),
            (
                "struct A { 70000: i32 a }",
                "1:12: expected an id of 16 bits, found the number 70000",
            ),
            ("struct A.B {}", "1:9: a name cannot contain `.`"),
            (
                "enum E { A = 2147483647, B }",
                "1:26: 2147483648 does not fit in 32 bits",
            ),
            (
                "const i32 X =",
                "1:14: expected a value, found the end of the file",
            ),
            (
                "service S { i32 f(1: i32 a }",
                "1:28: expected a type, found `}`",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text), format!("t.thrift:{expected}"));
        }
        let deep = format!("typedef {}i32{} T", "list<".repeat(100), ">".repeat(100));
        assert!(message(&deep).ends_with("nested more than 64 deep"));
        let deep = format!("const i32 X = {}", "[".repeat(100_000));
        assert!(message(&deep).ends_with("nested more than 64 deep"));
    }
}
