import { z } from 'zod'
import { StoredAttempt } from '#schemas/mail/delivery-attempt.ts'
import type { DeliveryAttempt } from '#schemas/rest/email/delivery-attempt.ts'

const Log = z.array(z.unknown()).catch([])

/** Leaves out what a later version may have stored in another form. */
export function attemptViews(log: unknown): DeliveryAttempt[] {
  return Log.parse(log).flatMap((entry) => {
    const { data } = StoredAttempt.safeParse(entry)
    if (data === undefined) return []
    const { server = null, tls = null, phase = null, code = null, enhanced = null } = data
    return [{ ...data, server, tls, phase, code, enhanced }]
  })
}
