/** The entry of the thread that works on requests of the API. Bytes come in, bytes go out. */
import { decodeWorkerRequest, type WorkerReply } from '#schemas/bus/worker-request.ts'
import type { SharedPlaces } from '../places/place-file.ts'
import { threadPlaces } from '../places/thread-places.ts'
import { tryGrouping } from './try-grouping.ts'
import { trySettings } from './try-settings.ts'

export interface RequestTask {
  readonly message: Uint8Array
  readonly places?: SharedPlaces | undefined
}

export default function requestTask(task: RequestTask): Uint8Array {
  return Buffer.from(JSON.stringify(replyTo(task)))
}

function replyTo({ message, places }: RequestTask): WorkerReply {
  const decoded = decodeWorkerRequest(message)
  if (decoded === undefined) return { kind: 'refused', why: 'unknown_task' }
  const { request, payload } = decoded
  switch (request.task) {
    case 'try_settings':
      return { kind: 'tried', result: trySettings({ request, payload }, threadPlaces(places)) }
    case 'try_grouping':
      return tryGrouping(request, payload)
  }
}
