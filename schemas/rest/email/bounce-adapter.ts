/** Bounce adapters: webhooks through which providers report bounces. */
import { z } from 'zod'
import { BounceAdapterName, BounceAdapterSettings } from '../../mail/bounce-adapter.ts'
import { ContactSource } from './contact.ts'

export const BounceAdapterItem = z
  .object({
    id: z.string(),
    adapter: BounceAdapterName,
    label: z.string(),
    lastUsedAt: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({
    id: 'BounceAdapter',
    example: {
      id: '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10',
      adapter: 'ses',
      label: 'production',
      lastUsedAt: null,
      createdAt: '2026-11-21T01:02:03.456Z',
    },
  })
export type BounceAdapterItem = z.infer<typeof BounceAdapterItem>

export const BounceAdapterList = z
  .object({ items: z.array(BounceAdapterItem) })
  .meta({ id: 'BounceAdapterList' })

export const NewBounceAdapter = z
  .intersection(z.object({ label: ContactSource.nullish() }), BounceAdapterSettings)
  .meta({
    id: 'NewBounceAdapter',
    example: {
      adapter: 'ses',
      label: 'production',
      settings: { topicArn: 'arn:aws:sns:eu-west-1:123456789012:bounces' },
    },
  })

export const CreatedBounceAdapter = BounceAdapterItem.extend({
  url: z
    .string()
    .describe(
      'The webhook URL with its secret, for the settings of the provider. Shown only once.',
    ),
}).meta({ id: 'CreatedBounceAdapter' })
