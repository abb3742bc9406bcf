import { z } from 'zod'
import { AddressText } from './address-text.ts'

export const BlockedDomainItem = z
  .object({
    domain: z.string().describe('In A-labels. Its subdomains are blocked, too.'),
    createdAt: z.string(),
  })
  .meta({
    id: 'BlockedDomain',
    example: { domain: 'mailinator.com', createdAt: '2026-11-21T01:02:03.456Z' },
  })
export type BlockedDomainItem = z.infer<typeof BlockedDomainItem>

export const BlockedDomainList = z.object({ items: z.array(BlockedDomainItem) })

export const NewBlockedDomain = z
  .object({
    domain: AddressText.describe('In Unicode or A-labels.'),
    confirmed: z
      .boolean()
      .optional()
      .describe('Must be true to block a public suffix such as co.uk.'),
  })
  .meta({ id: 'NewBlockedDomain', example: { domain: 'mailinator.com' } })
