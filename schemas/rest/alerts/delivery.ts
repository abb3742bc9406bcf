/** What was delivered to the targets of alert rules and webhooks (http-api: Alerts). */
import { z } from 'zod'
import { PageQuery } from '../page.ts'

export const deliveryStates = ['pending', 'delivered', 'failed'] as const
const DeliveryState = z.enum(deliveryStates)

export const DeliveryTarget = z
  .object({
    id: z.string(),
    type: z.string(),
    shown: z
      .record(z.string(), z.unknown())
      .describe('The settings of the target without secrets.'),
    disabled_at: z.iso.datetime().nullable(),
    disabled_reason: z.string().nullable(),
    paused_until: z.iso
      .datetime()
      .nullable()
      .describe(
        'Nothing is sent before then, because attempts failed or the receiver asked for it.',
      ),
  })
  .meta({
    id: 'DeliveryTarget',
    example: {
      id: '01939c1e-7d00-7000-8000-000000000003',
      type: 'webhook',
      shown: { type: 'webhook', url: 'https://example.com/hook' },
      disabled_at: null,
      disabled_reason: null,
      paused_until: null,
    },
  })
export type DeliveryTarget = z.infer<typeof DeliveryTarget>

export const DeliveryItem = z
  .object({
    id: z.string().describe('Also the `webhook-id` of the request.'),
    at: z.iso.datetime(),
    target: DeliveryTarget,
    state: DeliveryState,
    is_test: z.boolean(),
    attempts: z
      .array(
        z.object({
          at: z.iso.datetime(),
          status: z.number().int().nullable().describe('Null if there was no response.'),
          latency_ms: z.number().int(),
          error: z.string().nullable(),
          response: z.string().nullable().describe('Up to 1,024 characters.'),
        }),
      )
      .describe('The last 20, oldest first.'),
    next_attempt_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    payload: z.record(z.string(), z.unknown()).describe('The body of the webhook.'),
  })
  .meta({
    id: 'Delivery',
    example: {
      id: '01939c1e-7d00-7000-8000-000000000004',
      at: '2026-11-21T01:28:12.000Z',
      target: {
        id: '01939c1e-7d00-7000-8000-000000000003',
        type: 'webhook',
        shown: { type: 'webhook', url: 'https://example.com/hook' },
        disabled_at: null,
        disabled_reason: null,
        paused_until: null,
      },
      state: 'delivered',
      is_test: false,
      attempts: [
        {
          at: '2026-11-21T01:28:12.000Z',
          status: 204,
          latency_ms: 87,
          error: null,
          response: '',
        },
      ],
      next_attempt_at: null,
      finished_at: '2026-11-21T01:28:12.000Z',
      payload: { type: 'issue.new', timestamp: '2026-11-21T01:28:12.000Z', data: {} },
    },
  })
export type DeliveryItem = z.infer<typeof DeliveryItem>

export const DeliveryListQuery = z.strictObject({
  ...PageQuery,
  state: DeliveryState.optional(),
})

export const TestDeliveries = z
  .object({ items: z.array(DeliveryItem).describe('One for each target.') })
  .meta({ id: 'TestDeliveries' })
