import type { OutgoingRequest } from '#platform/http/safe-request/safe-request.ts'
import type { AlertTarget } from '#schemas/rest/alerts/target.ts'
import type { ChannelMessage } from './channel.ts'
import { discordRequest } from './discord.ts'
import { ntfyRequest } from './ntfy.ts'
import { opsgenieRequest } from './opsgenie.ts'
import { pagerdutyRequest } from './pagerduty.ts'
import { slackRequest } from './slack.ts'
import { teamsRequest } from './teams.ts'
import { telegramRequest } from './telegram.ts'
import { webhookRequest } from './webhook.ts'

/** Targets that a request is sent to; an email is queued instead. */
export type RequestTarget = Exclude<AlertTarget, { type: 'email' }>

export function channelRequest(target: RequestTarget, message: ChannelMessage): OutgoingRequest {
  switch (target.type) {
    case 'webhook':
      return webhookRequest(target, message)
    case 'slack':
      return slackRequest(target, message)
    case 'discord':
      return discordRequest(target, message)
    case 'teams':
      return teamsRequest(target, message)
    case 'telegram':
      return telegramRequest(target, message)
    case 'ntfy':
      return ntfyRequest(target, message)
    case 'pagerduty':
      return pagerdutyRequest(target, message)
    case 'opsgenie':
      return opsgenieRequest(target, message)
  }
}
