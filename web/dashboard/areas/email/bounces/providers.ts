import type { Reply } from '../../../http/request.ts'

export const hookList = 'GET /api/v1/admin/email/bounce-adapters'
export type Hook = Reply<typeof hookList>['items'][number]
export type Provider = Hook['adapter']

interface ProviderForm {
  readonly name: string
  /** Settings that the provider shows, by their name in the API. */
  readonly fields: readonly {
    readonly name: string
    readonly label: string
    readonly hint?: string
    readonly isSecret?: boolean
  }[]
  readonly hint: string
}

export const providers: Readonly<Record<Provider, ProviderForm>> = {
  ses: {
    name: 'Amazon SES',
    hint: 'Subscribe the URL to your SNS topic. The subscription is confirmed automatically.',
    fields: [
      {
        name: 'topicArn',
        label: 'ARN of the SNS topic',
        hint: 'arn:aws:sns:eu-west-1:123456789012:bounces',
      },
    ],
  },
  postmark: {
    name: 'Postmark',
    hint: 'Choose a user and a password for this hook. Its URL contains them, and Postmark sends them.',
    fields: [
      { name: 'username', label: 'User' },
      { name: 'password', label: 'Password', isSecret: true },
    ],
  },
  mailgun: {
    name: 'Mailgun',
    hint: 'The HTTP webhook signing key of the domain.',
    fields: [{ name: 'signingKey', label: 'Signing key', isSecret: true }],
  },
  sendgrid: {
    name: 'SendGrid',
    hint: 'Switch on the signed event webhook and copy its verification key.',
    fields: [{ name: 'publicKey', label: 'Verification key' }],
  },
  resend: {
    name: 'Resend',
    hint: 'The signing secret of the webhook: it starts with whsec_.',
    fields: [{ name: 'signingSecret', label: 'Signing secret', isSecret: true }],
  },
  message: {
    name: 'Mail server',
    hint: 'For bounce messages that a mail server pipes to the URL.',
    fields: [],
  },
}
