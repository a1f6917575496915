//! Initializers.

use super::*;

impl Parser<'_> {
    pub(super) fn initializer(&mut self) -> Parse<InitId> {
        let lo = self.lo();
        let kind = if self.kind() == Tok::LBrace {
            self.enter()?;
            let items = self.init_items()?;
            self.leave();
            InitKind::List(items)
        } else {
            InitKind::Expr(self.assignment()?)
        };
        let span = self.since(lo);
        Ok(self.ast.inits.push(Init { kind, span }))
    }

    fn init_items(&mut self) -> Parse<List<InitItem>> {
        let open = self.token();
        self.bump();
        let from = self.scratch.init_items.len();
        while self.kind() != Tok::RBrace {
            let designators = self.designators()?;
            let init = self.initializer()?;
            self.scratch.init_items.push(InitItem { designators, init });
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect_closing(Tok::RBrace, open)?;
        Ok(self.ast.list(&mut self.scratch.init_items, from))
    }

    /// `.a[3] =`, and GNU's `a:`, `[3]`.
    #[inline]
    fn designators(&mut self) -> Parse<List<Designator>> {
        match self.kind() {
            Tok::Dot | Tok::LBracket => self.designator_list(),
            Tok::Word if self.peek(1) == Tok::Colon => {
                let token = self.token();
                self.bump();
                self.bump();
                let from = self.scratch.designators.len();
                self.scratch.designators.push(Designator::Field(token.symbol(), token.span()));
                Ok(self.ast.list(&mut self.scratch.designators, from))
            }
            _ => Ok(List::EMPTY),
        }
    }

    fn designator_list(&mut self) -> Parse<List<Designator>> {
        let from = self.scratch.designators.len();
        loop {
            let token = self.token();
            let designator = match token.kind {
                Tok::Dot => {
                    self.bump();
                    let span = self.token().span();
                    Designator::Field(self.name("member name")?, span)
                }
                Tok::LBracket => {
                    self.bump();
                    let low = self.constant_expression()?;
                    let range = self.eat(Tok::Ellipsis);
                    let high = if range { Some(self.constant_expression()?) } else { None };
                    self.expect_closing(Tok::RBracket, token)?;
                    high.map_or(Designator::Index(low), |high| Designator::Range(low, high))
                }
                _ => break,
            };
            self.scratch.designators.push(designator);
            if self.scratch.designators.len() - from > MAX_DEPTH as usize {
                return self.too_deep();
            }
        }
        // GNU: without `=` after a single index.
        let designators = self.ast.list(&mut self.scratch.designators, from);
        let old_style = designators.len == 1 && !matches!(self.ast.get(designators), [Designator::Field(..)]);
        if !self.eat(Tok::Eq) && !old_style {
            self.missing(Tok::Eq, "after designator")?;
        }
        Ok(designators)
    }
}
