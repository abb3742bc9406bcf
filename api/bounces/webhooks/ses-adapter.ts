import type { z } from 'zod'
import type { SesSettings } from '#schemas/mail/bounce-adapter.ts'
import { readSes } from './read-ses.ts'
import { isSignedBy, isSnsUrl, SnsMessage } from './sns-message.ts'
import { readJson, type WebhookReading, type WebhookRequest } from './webhook-event.ts'

/**
 * Fetches Amazon's certificates and confirms subscriptions. Implementations bound time and size.
 */
export interface SnsOutside {
  readonly certificateAt: (url: string) => Promise<string>
  readonly confirmAt: (url: string) => Promise<void>
}

export async function receiveSes(
  request: WebhookRequest,
  settings: z.infer<typeof SesSettings>,
  outside: SnsOutside,
): Promise<WebhookReading> {
  const parsed = SnsMessage.safeParse(readJson(request.body))
  if (!parsed.success) return { kind: 'unreadable' }
  const message = parsed.data
  // The topic is checked first, so that nothing is fetched for a message of another topic.
  if (message.TopicArn !== settings.topicArn) return { kind: 'forged' }
  if (!isSnsUrl(message.SigningCertURL)) return { kind: 'forged' }
  const certificate = await outside.certificateAt(message.SigningCertURL)
  if (!isSignedBy(message, certificate, request.nowMs)) return { kind: 'forged' }

  if (message.Type === 'SubscriptionConfirmation' && message.SubscribeURL !== undefined) {
    if (!isSnsUrl(message.SubscribeURL)) return { kind: 'forged' }
    await outside.confirmAt(message.SubscribeURL)
  }
  if (message.Type !== 'Notification') return { kind: 'events', events: [] }
  const events = readSes(readJson(Buffer.from(message.Message)), request.nowMs)
  return { kind: 'events', events }
}
