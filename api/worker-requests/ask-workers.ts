/** Requests of the API to the workers (schemas/bus/worker-request.ts), and their errors. */
import { BusAwayError, type BusRequester, NoReplyError } from '#platform/nats/bus-requester.ts'
import {
  encodeWorkerRequest,
  type WorkerMessage,
  type WorkerRefusal,
  WorkerReply,
  workerReplyMsMax,
  workerRequestSubject,
} from '#schemas/bus/worker-request.ts'
import { CodedError } from '#schemas/error-codes.ts'

export type AskedReply = Exclude<WorkerReply, { kind: 'refused' }>

/** Rejects with a `CodedError` when no worker gives a result. */
export type AskWorkers = (message: WorkerMessage) => Promise<AskedReply>

/** @param bus undefined: this process was started without NATS_URL. */
export function workerAsker(bus: Pick<BusRequester, 'request'> | undefined): AskWorkers {
  if (bus === undefined) {
    return async () => {
      throw unavailable('The API cannot ask workers: set NATS_URL for it, as for the workers.')
    }
  }
  return async (message) => {
    const bytes = encodeWorkerRequest(message)
    let answer: Uint8Array
    try {
      answer = await bus.request(workerRequestSubject, bytes, workerReplyMsMax)
    } catch (cause) {
      if (cause instanceof NoReplyError) throw unavailable(noAnswer, cause)
      if (cause instanceof BusAwayError) throw unavailable(busAway, cause)
      throw cause
    }
    const reply = WorkerReply.parse(JSON.parse(Buffer.from(answer).toString('utf8')))
    if (reply.kind === 'refused') throw unavailable(refusals[reply.why])
    return reply
  }
}

const noAnswer = `No worker answered within ${workerReplyMsMax / 1000} s. Check that workers run.`
const busAway =
  'NATS, over which the API asks workers, cannot be reached. Check that it runs and NATS_URL of the API.'
const refusals: Readonly<Record<WorkerRefusal, string>> = {
  busy: 'The workers are busy with other trials. Try again in a few seconds.',
  too_slow:
    'Trying this event took too long or too much memory, and was stopped. Try a smaller event or fewer patterns.',
  unknown_task:
    'The worker that answered cannot do this yet: it is of another version than the API. Update the workers.',
  failed: 'The worker failed to try this event. Its log says why.',
}

function unavailable(message: string, cause?: unknown): CodedError {
  return new CodedError('unavailable', { message, ...(cause === undefined ? {} : { cause }) })
}
