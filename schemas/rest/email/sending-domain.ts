/** Sending domains: the DNS records that they need, and what the last check found. */
import { z } from 'zod'
import { AddressText } from './address-text.ts'

export const DnsRecordUse = z.enum(['proof', 'dkim', 'spf', 'dmarc', 'mx'])
export type DnsRecordUse = z.infer<typeof DnsRecordUse>

export const DnsRecordCheck = z.object({
  use: DnsRecordUse,
  state: z
    .enum(['pass', 'missing', 'wrong', 'unknown'])
    .describe('unknown: the name server did not answer.'),
  hint: z.string().nullable().describe('How to fix it.'),
  found: z.array(z.string()),
})
export type DnsRecordCheck = z.infer<typeof DnsRecordCheck>

export const DnsRecord = z.object({
  use: DnsRecordUse,
  type: z.enum(['TXT', 'MX']),
  name: z.string(),
  value: z.string().describe('The value to paste.'),
  required: z.boolean(),
})
export type DnsRecord = z.infer<typeof DnsRecord>

export const SendingDomainState = z.enum(['pending', 'verified', 'failed'])
export type SendingDomainState = z.infer<typeof SendingDomainState>

export const SendingDomain = z
  .object({
    id: z.string(),
    domain: z.string(),
    bounceDomain: z
      .string()
      .describe('The domain of envelope senders, to which bounces are sent and which SPF checks.'),
    selector: z.string(),
    records: z.array(DnsRecord),
    state: SendingDomainState.describe(
      'Only emails of a verified domain are signed and have an envelope sender of their own. failed: it was verified, and its records are wrong now.',
    ),
    stateReason: z.string().nullable().describe('Why it is not verified.'),
    stateAt: z.string().describe('When the state last changed.'),
    ready: z.boolean().describe('All required records were seen at the last check.'),
    checks: z.array(DnsRecordCheck).nullable().describe('Null: never checked.'),
    checkedAt: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({
    id: 'SendingDomain',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      domain: 'example.com',
      bounceDomain: 'bounces.example.com',
      selector: 's1',
      records: [
        {
          use: 'spf',
          type: 'TXT',
          name: 'bounces.example.com',
          value: 'v=spf1 include:relay.example.net ~all',
          required: true,
        },
      ],
      state: 'pending',
      stateReason: 'SPF: Add the TXT record.',
      stateAt: '2026-11-21T01:02:03.456Z',
      ready: false,
      checks: null,
      checkedAt: null,
      createdAt: '2026-11-21T01:02:03.456Z',
    },
  })
export type SendingDomain = z.infer<typeof SendingDomain>

export const SendingDomainList = z
  .object({ items: z.array(SendingDomain) })
  .meta({ id: 'SendingDomainList' })

export const NewSendingDomain = z
  .object({
    domain: AddressText.describe('The domain of the From addresses.'),
    bounceDomain: AddressText.nullish().describe(
      'The domain itself or a subdomain. By default `bounces.` and the domain.',
    ),
    selector: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be letters, digits and inner hyphens')
      .nullish()
      .describe('`sluice` by default.'),
  })
  .meta({ id: 'NewSendingDomain', example: { domain: 'example.com' } })
