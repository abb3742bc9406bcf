/**
 * Settings that authenticate the webhooks of each provider. They are stored sealed and never shown.
 */
import { z } from 'zod'

export const bounceAdapters = [
  'ses',
  'postmark',
  'mailgun',
  'sendgrid',
  'resend',
  'message',
] as const
export const BounceAdapterName = z.enum(bounceAdapters)
export type BounceAdapterName = z.infer<typeof BounceAdapterName>

const secretText = z.string().trim().min(8, 'must have at least 8 characters').max(500)

export const SesSettings = z.object({
  topicArn: z
    .string()
    .trim()
    .max(400)
    .regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_.-]+$/, 'must be the ARN of a topic')
    .describe(
      'ARN of your SNS topic. Messages of other topics are rejected, because Amazon signs the topics of all its customers.',
    ),
})

export const PostmarkSettings = z.object({
  username: z.string().trim().min(1, 'must not be empty').max(200),
  password: secretText,
})

export const MailgunSettings = z.object({
  signingKey: secretText.describe('HTTP webhook signing key of Mailgun.'),
})

export const SendgridSettings = z.object({
  publicKey: z
    .string()
    .trim()
    .max(500)
    .regex(/^[A-Za-z0-9+/]{80,}={0,2}$/, 'must be the verification key in base64'),
})

export const ResendSettings = z.object({
  signingSecret: z
    .string()
    .trim()
    .max(200)
    .regex(/^whsec_[A-Za-z0-9+/]{20,}={0,2}$/, 'must start with whsec_'),
})

/**
 * No settings: only the secret in the path authenticates the request. For a mail server that pipes
 * messages to the webhook.
 */
export const MessageSettings = z.object({})

export const BounceAdapterSettings = z.discriminatedUnion('adapter', [
  z.object({ adapter: z.literal('ses'), settings: SesSettings }),
  z.object({ adapter: z.literal('postmark'), settings: PostmarkSettings }),
  z.object({ adapter: z.literal('mailgun'), settings: MailgunSettings }),
  z.object({ adapter: z.literal('sendgrid'), settings: SendgridSettings }),
  z.object({ adapter: z.literal('resend'), settings: ResendSettings }),
  z.object({ adapter: z.literal('message'), settings: MessageSettings.default({}) }),
])
export type BounceAdapterSettings = z.infer<typeof BounceAdapterSettings>
