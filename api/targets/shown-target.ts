import type { AlertTarget } from '#schemas/rest/alerts/target.ts'

/** Stands for the part of a URL that is not shown. */
export const hiddenPart = '…'

/** What may be shown of a target to everybody who may read the rule, stored beside the secrets. */
export function shownTarget(target: AlertTarget): Record<string, unknown> {
  const { type } = target
  switch (type) {
    case 'email':
      return { type, to: target.to }
    case 'webhook':
      return { type, url: target.url }
    case 'slack':
    case 'discord':
    case 'teams':
      return { type, url: `${new URL(target.url).origin}/${hiddenPart}` }
    case 'telegram':
      return { type, chat_id: target.chat_id }
    case 'ntfy':
      return { type, url: target.url, has_token: target.token !== undefined }
    case 'pagerduty':
      return { type }
    case 'opsgenie':
      return { type, region: target.region }
  }
}
