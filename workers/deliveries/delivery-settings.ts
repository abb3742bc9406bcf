/** What deliveries need beside the connections of the process, read from its environment. */
import { systemClock } from '#platform/clock.ts'
import type { Env } from '#platform/env.ts'
import { createHostResolver } from '#platform/http/safe-request/resolve-target.ts'
import { createSafeRequest } from '#platform/http/safe-request/safe-request.ts'
import { targetSettings } from '#platform/http/safe-request/target-url.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { SendAlertEmail } from './alert-email.ts'
import type { DeliveryContext } from './deliver-to-target.ts'

export type DeliverySettings = Pick<DeliveryContext, 'box' | 'request' | 'urls' | 'sendAlertEmail'>

type DeliveryEnv = Env<
  'WEBHOOK_ALLOWED_NETWORKS' | 'TELEGRAM_URL' | 'PAGERDUTY_URL' | 'OPSGENIE_URL'
>

export function deliverySettings(
  env: DeliveryEnv,
  box: SecretBox,
  sendAlertEmail: SendAlertEmail = noEmails,
): DeliverySettings {
  const settings = targetSettings(env.WEBHOOK_ALLOWED_NETWORKS)
  const resolve = createHostResolver(settings)
  return {
    box,
    request: createSafeRequest({ settings, resolve, clock: systemClock }),
    urls: {
      telegram: env.TELEGRAM_URL,
      pagerduty: env.PAGERDUTY_URL,
      opsgenie: env.OPSGENIE_URL,
    },
    sendAlertEmail,
  }
}

const noEmails: SendAlertEmail = async () => ({
  kind: 'failed',
  reason: 'This process sends no emails of alerts.',
})
