/**
 * What a campaign is from the moment its sending begins: the letter, its sender and its tracking as they were then. Changes to the
 * newsletter reach the next campaign, never the second half of this one. Stored as `campaigns.compiled`.
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
