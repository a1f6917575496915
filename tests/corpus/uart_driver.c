// A driver for a serial port that waits for the transmitter with a limit.
//~ options: --mmio 0x40011000..0x4001101b:UART
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct uart {
  volatile uint32_t status, data, baud, control1, control2, control3, guard;
};

#define UART ((struct uart *)0x40011000)
#define STATUS_RX 0x20u
#define STATUS_TX 0x80u
#define STATUS_ERRORS 0x0fu

enum result { UART_OK, UART_TIMEOUT, UART_ERROR };

static uint8_t buffer[4];
static size_t received;

static enum result uart_send(uint8_t byte) {
  for (int i = 0; i < 3; i++) {
    if (UART->status & STATUS_TX) {
      UART->data = byte;
      return UART_OK;
    }
  }
  return UART_TIMEOUT;
}

static enum result uart_interrupt(void) {
  uint32_t status = UART->status;
  if (status & STATUS_ERRORS)
    return UART_ERROR;
  if (status & STATUS_RX) {
    uint8_t byte = (uint8_t)UART->data;
#ifndef BUG
    if (received == sizeof buffer)
      return UART_ERROR;
#endif
    buffer[received++] = byte;
  }
  return UART_OK;
}

int main(void) {
  UART->baud = 0x683;
  UART->control1 = 0x200c;
  for (;;) {
    if (uart_interrupt() == UART_ERROR)
      received = 0;
    assert(received <= sizeof buffer);
    if (received == sizeof buffer) {
      if (uart_send(buffer[0]) == UART_OK)
        received = 0;
    }
  }
}
