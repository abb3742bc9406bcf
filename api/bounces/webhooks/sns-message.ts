/**
 * Verifies messages of Amazon SNS. Amazon signs the topics of all its customers, so a signature
 * proves nothing without the topic: an adapter that confirmed any signed subscription would accept
 * bounces from anybody.
 */
import { createVerify, X509Certificate } from 'node:crypto'
import { z } from 'zod'

const text = z.string().max(1_000_000)

export const SnsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: text,
  TopicArn: text,
  Message: text,
  Timestamp: text,
  SignatureVersion: z.enum(['1', '2']),
  Signature: text,
  SigningCertURL: text,
  Subject: text.nullish(),
  Token: text.optional(),
  SubscribeURL: text.optional(),
})
export type SnsMessage = z.infer<typeof SnsMessage>

const hostPattern = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com$/

/**
 * Whether the URL is one of Amazon SNS. The host is compared after parsing the URL in the same way
 * as fetch does.
 */
export function isSnsUrl(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false
  const url = new URL(address)
  if (url.protocol !== 'https:') return false
  return (
    hostPattern.test(url.hostname) && url.port === '' && url.username === '' && url.password === ''
  )
}

const notificationFields = [
  'Message',
  'MessageId',
  'Subject',
  'Timestamp',
  'TopicArn',
  'Type',
] as const
const confirmationFields = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
] as const

export function isSignedBy(message: SnsMessage, certificatePem: string, nowMs: number): boolean {
  try {
    const certificate = new X509Certificate(certificatePem)
    const isValid =
      Date.parse(certificate.validFrom) <= nowMs && nowMs <= Date.parse(certificate.validTo)
    const verify = createVerify(message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256')
    verify.update(signedText(message))
    return isValid && verify.verify(certificate.publicKey, message.Signature, 'base64')
  } catch {
    return false
  }
}

export function signedText(message: SnsMessage): string {
  const fields = message.Type === 'Notification' ? notificationFields : confirmationFields
  let signed = ''
  for (const field of fields) {
    const value = message[field]
    if (value !== undefined && value !== null) signed += `${field}\n${value}\n`
  }
  return signed
}
