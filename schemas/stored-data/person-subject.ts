/** The person that an erasure or a look-up is about. At least one field is given. */
import { z } from 'zod'

const idCharactersMax = 512

/**
 * `email` is the key of the mailbox as `parseEmailAddress` gives it. `user_id` is compared with
 * whole values only. `address` is an IPv4 or IPv6 address in its shortest form.
 */
export const PersonSubject = z.object({
  email: z.string().optional(),
  user_id: z.string().max(idCharactersMax).optional(),
  address: z.string().optional(),
})
export type PersonSubject = z.infer<typeof PersonSubject>
