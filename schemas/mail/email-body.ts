/**
 * The text of an email with secret links. It is stored sealed in `sends.sealed_body` until the
 * email is sent.
 */
import { z } from 'zod'

/** The purpose for SecretBox; the place is the id of the row. */
export const emailBodyPurpose = 'email body'

export const EmailBody = z.object({ text: z.string(), html: z.string().nullable() })
export type EmailBody = z.infer<typeof EmailBody>
