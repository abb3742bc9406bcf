/** The entry of the thread that works on requests of the API. Bytes come in, bytes go out. */
import { decodeWorkerRequest, type WorkerReply } from '#schemas/bus/worker-request.ts'
import { threadPlaces } from '../places/thread-places.ts'
import { trySettings } from './try-settings.ts'

const placeOf = threadPlaces()

export default function requestTask(message: Uint8Array): Uint8Array {
  return Buffer.from(JSON.stringify(replyTo(message)))
}

function replyTo(message: Uint8Array): WorkerReply {
  const decoded = decodeWorkerRequest(message)
  if (decoded === undefined) return { kind: 'refused', why: 'unknown_task' }
  switch (decoded.request.task) {
    case 'try_settings':
      return { kind: 'tried', result: trySettings(decoded, placeOf) }
  }
}
