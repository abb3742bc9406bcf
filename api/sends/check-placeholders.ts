import { CodedError } from '#schemas/error-codes.ts'
import { unknownPlaceholders } from '#schemas/mail/template.ts'
import type { NewSendRequest } from '#schemas/rest/email/send.ts'

const namedMax = 5
const fields = ['subject', 'previewText', 'html', 'markdown'] as const

/** Nobody looks at a transactional email before it is sent: a misspelt placeholder would reach its recipient as typed. */
export function checkPlaceholders(body: NewSendRequest): void {
  if (body.allowUnknown === true) return
  const details = fields.flatMap((field) =>
    unknownPlaceholders(body[field] ?? '', namedMax).map((braces) => ({
      field,
      rule: `contains ${braces}, which is no placeholder: use {{name}} or {{attr.key}}, or set allowUnknown to true to send it as typed`,
    })),
  )
  const [first] = details
  if (first === undefined) return
  const message = `\`${first.field}\`: ${first.rule}.`
  throw new CodedError('unknown_placeholder', { message, details })
}
