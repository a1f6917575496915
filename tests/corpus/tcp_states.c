// Opening and closing a connection, as in RFC 793, without sequence numbers.
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);

enum state { CLOSED, LISTEN, SYN_RECEIVED, ESTABLISHED, CLOSE_WAIT, LAST_ACK, FIN_WAIT_1, FIN_WAIT_2, TIME_WAIT };
enum event { OPEN, SYN, ACK, FIN, CLOSE, TIMEOUT, EVENTS };

struct connection {
  enum state state;
  bool saw_syn, saw_ack, sent_fin, got_fin;
};

static void handle(struct connection *c, enum event e) {
  switch (c->state) {
  case CLOSED:
    if (e == OPEN)
      c->state = LISTEN;
    break;
  case LISTEN:
    if (e == SYN) {
      c->saw_syn = true;
#ifdef BUG
      c->state = ESTABLISHED;
#else
      c->state = SYN_RECEIVED;
#endif
    }
    break;
  case SYN_RECEIVED:
    if (e == ACK) {
      c->saw_ack = true;
      c->state = ESTABLISHED;
    }
    break;
  case ESTABLISHED:
    if (e == FIN)
      c->got_fin = true, c->state = CLOSE_WAIT;
    else if (e == CLOSE)
      c->sent_fin = true, c->state = FIN_WAIT_1;
    break;
  case CLOSE_WAIT:
    if (e == CLOSE)
      c->sent_fin = true, c->state = LAST_ACK;
    break;
  case FIN_WAIT_1:
    if (e == ACK)
      c->state = FIN_WAIT_2;
    break;
  case FIN_WAIT_2:
    if (e == FIN)
      c->got_fin = true, c->state = TIME_WAIT;
    break;
  case LAST_ACK:
    if (e == ACK)
      *c = (struct connection){CLOSED, false, false, false, false};
    break;
  case TIME_WAIT:
    if (e == TIMEOUT)
      *c = (struct connection){CLOSED, false, false, false, false};
    break;
  }
}

int main(void) {
  struct connection c = {CLOSED, false, false, false, false};
  for (;;) {
    int e = __VERIFIER_nondet_int();
    if (e < 0 || e >= EVENTS)
      continue;
    handle(&c, (enum event)e);
    if (c.state >= ESTABLISHED)
      assert(c.saw_syn && c.saw_ack);
    if (c.state == TIME_WAIT)
      assert(c.sent_fin && c.got_fin);
  }
}
