/**
 * A campaign as it was when its sending began: email, sender and tracking. Later changes of the
 * newsletter apply to the next campaign and not to the rest of this one. Stored as
 * `campaigns.compiled`.
 */
import { z } from 'zod'
import { CompiledEmail } from './compiled-email.ts'

export const FrozenCampaign = z.object({
  email: CompiledEmail,
  fromName: z.string(),
  fromAddress: z.string(),
  replyTo: z.string().nullable(),
  /** For List-Id and Feedback-ID. */
  newsletterSlug: z.string(),
  newsletterName: z.string(),
  trackOpens: z.boolean(),
  trackClicks: z.boolean(),
})
export type FrozenCampaign = z.infer<typeof FrozenCampaign>
