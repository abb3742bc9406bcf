/**
 * DSN keys, which SDKs are configured with (http-api: Issues, `keys`). A label names a component.
 */
import { z } from 'zod'
import { KeyLabel } from './account.ts'
import { QuotaChange } from './quota.ts'

const label = KeyLabel.nullable().describe(
  'The component that the key is for; its events carry the label.',
)
const rateLimit = QuotaChange.shape.per_minute
  .unwrap()
  .describe('Events per minute that are accepted with this key; null for no limit of its own.')

export const DsnKeyItem = z
  .object({
    id: z.string(),
    label: z.string().nullable(),
    public_key: z.string(),
    dsn: z.string().describe('The DSN to configure an SDK with.'),
    status: z.enum(['active', 'disabled']),
    rate_limit: z.number().int().nullable(),
    last_used_at: z.iso.datetime().nullable().describe('Accurate to a minute.'),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'DsnKey',
    example: {
      id: '01939c1e-7d00-7000-8000-000000000002',
      label: 'worker',
      public_key: '4f0e0c5d1f1c4c7b9a8e2d3b6a7c8d9e',
      dsn: 'https://4f0e0c5d1f1c4c7b9a8e2d3b6a7c8d9e@errors.example.com/42',
      status: 'active',
      rate_limit: null,
      last_used_at: '2026-11-21T01:28:12.000Z',
      created_at: '2026-11-01T09:00:00.000Z',
    },
  })
export type DsnKeyItem = z.infer<typeof DsnKeyItem>

export const DsnKeyList = z.object({ items: z.array(DsnKeyItem) }).meta({ id: 'DsnKeyList' })

export const NewDsnKeyBody = z
  .strictObject({ label: label.default(null), rate_limit: rateLimit.default(null) })
  .meta({ id: 'NewDsnKey', example: { label: 'worker' } })

/** A field that is left out keeps its value. */
export const DsnKeyChange = z
  .strictObject({ label, rate_limit: rateLimit, status: z.enum(['active', 'disabled']) })
  .partial()
  .meta({ id: 'DsnKeyChange', example: { status: 'disabled' } })
export type DsnKeyChange = z.infer<typeof DsnKeyChange>
