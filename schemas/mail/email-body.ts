/**
 * The text of an email whose links are secrets, as it is sealed in `sends.sealed_body` until the
 * email is finished.
 */
import { z } from 'zod'

/** The purpose for the SecretBox; the place is the id of the row. */
export const emailBodyPurpose = 'email body'

export const EmailBody = z.object({ text: z.string(), html: z.string().nullable() })
export type EmailBody = z.infer<typeof EmailBody>
