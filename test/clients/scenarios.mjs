/**
 * What a program does with an SDK of the JavaScript family. `sentry` is the SDK's module or a
 * scope.
 */

function chargeCard() {
  throw new RangeError('card 4711 was declined')
}

function placeOrder() {
  try {
    chargeCard()
  } catch (cause) {
    throw new Error('order 42 was not placed', { cause })
  }
}

function caught(work) {
  try {
    work()
  } catch (error) {
    return error
  }
}

export const scenarios = {
  chain: (sentry) => sentry.captureException(caught(placeOrder)),

  aggregate: (sentry) => {
    const parts = [caught(chargeCard), new TypeError('no such currency')]
    return sentry.captureException(new AggregateError(parts, 'both payments failed'))
  },

  message: (sentry) => sentry.captureMessage('Disk 3 is nearly full', 'warning'),

  /** Over 32 KiB, the size from which the Node SDKs compress. */
  large: (sentry) => {
    const rows = Array.from({ length: 60 }, (_, row) => `${row} `.padEnd(1000, 'xyz'))
    sentry.captureException(new Error('a large one'), { extra: { rows } })
  },

  unicode: (sentry) =>
    sentry.captureException(new Error('Zażółć 😀 \ud800 gęślą \udc00'), {
      tags: { city: 'Łódź 🏙', broken: '\udfff' },
      extra: { 'klucz 😀': ['\ud83d', 'NUL \0 inside'] },
    }),

  rich: (sentry) => {
    sentry.addBreadcrumb({ category: 'cart', message: 'added a book', level: 'info' })
    return sentry.captureException(caught(placeOrder), {
      user: { id: '17', email: 'ada@example.test', username: 'ada' },
      tags: { queue: 'orders', attempt: 3 },
      extra: { basket: { books: 2 } },
      contexts: { order: { total: 12.5, currency: 'PLN' } },
      level: 'fatal',
      fingerprint: ['orders', '{{ default }}'],
    })
  },

  crash: () => {
    setTimeout(placeOrder, 1)
  },

  /** One after the other, so that each response is known before the next request. */
  four: async (sentry) => {
    for (const dish of ['soup', 'bread', 'fish', 'fruit']) {
      sentry.captureMessage(`the ${dish} is cold`)
      await sentry.flush(10_000)
    }
  },

  /** The response to a free item is known before an error is captured. */
  errorLast: async (sentry) => {
    sentry.captureCheckIn({ monitorSlug: 'nightly', status: 'ok' })
    await sentry.flush(10_000)
    sentry.captureMessage('the soup is cold')
  },

  attachment: (sentry) => {
    sentry.withScope((scope) => {
      scope.addAttachment({ filename: 'notes.txt', data: 'line one\nline two\n' })
      sentry.captureMessage('with an attachment')
    })
  },

  /** One item of each kind besides errors. */
  items: (sentry) => {
    const schedule = { schedule: { type: 'crontab', value: '*/5 * * * *' } }
    const checkInId = sentry.captureCheckIn(
      { monitorSlug: 'nightly', status: 'in_progress' },
      schedule,
    )
    sentry.captureCheckIn({ checkInId, monitorSlug: 'nightly', status: 'ok', duration: 0.2 })
    sentry.captureFeedback({ message: 'I like it', email: 'ada@example.test', name: 'Ada' })
    sentry.logger.error('the shelf is empty', { shelf: 3 })
    sentry.withScope((scope) => {
      scope.addAttachment({ filename: 'notes.txt', data: 'line one\nline two\n' })
      sentry.captureMessage('with an attachment')
    })
    // Dropped by the program's beforeSend, which the SDK reports.
    sentry.captureMessage('not to be sent')
  },
}
