/**
 * The email, sender and tracking of a campaign when its sending started. Later changes of the
 * newsletter apply to its next campaign. Stored as `campaigns.compiled`.
 */
import { z } from 'zod'
import { CompiledEmail } from './compiled-email.ts'

export const FrozenCampaign = z.object({
  email: CompiledEmail,
  fromName: z.string(),
  fromAddress: z.string(),
  replyTo: z.string().nullable(),
  /** Used in List-Id and Feedback-ID. */
  newsletterSlug: z.string(),
  newsletterName: z.string(),
  trackOpens: z.boolean(),
  trackClicks: z.boolean(),
})
export type FrozenCampaign = z.infer<typeof FrozenCampaign>
