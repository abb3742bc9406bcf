/** The text part of an alert email. */
import type { EmailContent } from './email-content.ts'
import type { StopLinks } from './email-html.ts'

export function emailText(content: EmailContent, stops: StopLinks): string {
  const { kicker, title, culprit, frame, reason, message, facts, lines, more, link } = content
  const place = [frame?.place, frame?.code && `    ${frame.code}`]
  const blocks = [
    kicker,
    [title, culprit, ...place].filter(Boolean).join('\n'),
    reason,
    message === undefined ? undefined : message.replace(/^/gm, '> '),
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    ...lines.map((one) =>
      [`- ${one.title}`, `  ${one.detail}`, one.url && `  ${one.url}`].filter(Boolean).join('\n'),
    ),
    more === 0 ? undefined : `… and ${more.toLocaleString('en-US')} more`,
    link?.url,
    // The line before a signature ends in a space, so that mail programs leave it out in replies.
    [
      '-- ',
      `Sent by the alert rule “${content.ruleName}” of ${content.projectName}.`,
      stops.issue && `Stop emails about this issue: ${stops.issue}`,
      stops.rule && `Stop emails of this rule: ${stops.rule}`,
    ]
      .filter(Boolean)
      .join('\n'),
  ]
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}
