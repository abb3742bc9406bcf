import type { Reply } from '../../../http/request.ts'

export const webhookList = 'GET /api/v1/organization/webhooks'
export type Webhook = Reply<typeof webhookList>['items'][number]
