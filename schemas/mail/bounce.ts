/** What comes back about a letter: the mailbox is not there, it could not take it now, or its owner called it spam. */
import { z } from 'zod'

export const BounceType = z.enum(['hard', 'soft', 'complaint'])
export type BounceType = z.infer<typeof BounceType>
