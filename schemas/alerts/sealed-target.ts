/** The settings of a notification target as they are sealed: its URL, tokens and secrets. */
import { z } from 'zod'
import { AlertTarget } from '../rest/alerts/target.ts'

const TargetSecret = z.object({
  value: z.string(),
  /** Until then it signs beside the newer one. */
  until: z.string().optional(),
})

export const SealedTarget = z.object({
  target: AlertTarget,
  /** Of a webhook, the newest one first. */
  secrets: z.array(TargetSecret).default([]),
})
export type SealedTarget = z.infer<typeof SealedTarget>
