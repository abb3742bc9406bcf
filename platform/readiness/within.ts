/** A time limit for a promise, which keeps running when the limit has passed. */

/** The name marks it as "the server does not answer" for `isUnreachable`. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeoutError'
}

/** Rejects with `TimeLimitError` after `ms` milliseconds, without ending the work itself. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // After a blocked event loop timers run before sockets are read: an answer that has arrived
      // meanwhile still counts.
      setImmediate(() =>
        setImmediate(() => reject(new TimeLimitError(`${what} did not answer within ${ms} ms`))),
      )
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    work.catch(() => undefined)
  }
}
