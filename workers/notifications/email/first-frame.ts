/** The first frame of the application in a stored event: where to look first. */
import { z } from 'zod'
import { alertLine } from './alert-payload.ts'

export interface FirstFrame {
  /** As `checkout/cart.ts:42 in total`. */
  readonly place: string
  /** The line of source code, if the client sent it. */
  readonly code: string | undefined
}

const optional = <T extends z.ZodType>(shape: T) => shape.optional().catch(undefined)
const text = optional(z.string())
const Frame = z.object({
  function: text,
  module: text,
  filename: text,
  lineno: optional(z.number().int()),
  in_app: optional(z.boolean()),
  context_line: text,
})
type Frame = z.infer<typeof Frame>
const Stack = optional(z.object({ frames: optional(z.array(Frame.catch({}))) }))
const StoredEvent = z.object({
  exception: optional(z.object({ values: z.array(z.object({ stacktrace: Stack }).catch({})) })),
  stacktrace: Stack,
  threads: optional(
    z.object({
      values: z.array(z.object({ crashed: optional(z.boolean()), stacktrace: Stack }).catch({})),
    }),
  ),
})

const placeCharactersMax = 160
const codeCharactersMax = 120

/** Undefined if the event has no frame of the application. */
export function firstFrame(payload: string): FirstFrame | undefined {
  const event = parse(payload)
  if (event === undefined) return undefined
  const crashed = event.threads?.values.find((thread) => thread.crashed === true)
  // The last exception is the one that reached the client's handler.
  const stacks = [
    ...(event.exception?.values ?? []).map(({ stacktrace }) => stacktrace).reverse(),
    event.stacktrace,
    crashed?.stacktrace,
  ]
  for (const stack of stacks) {
    const frame = innermost(stack?.frames ?? [])
    const place = frame && placeOf(frame)
    if (frame !== undefined && place !== undefined) {
      return { place, code: alertLine(frame.context_line ?? '', codeCharactersMax) }
    }
  }
  return undefined
}

/** Frames are stored with the innermost one last. Some clients do not say which are in the app. */
function innermost(frames: readonly Frame[]): Frame | undefined {
  return (
    frames.findLast((frame) => frame.in_app === true) ??
    frames.findLast((frame) => frame.in_app === undefined)
  )
}

function placeOf(frame: Frame): string | undefined {
  const file = frame.filename ?? frame.module
  const at = file === undefined || frame.lineno === undefined ? file : `${file}:${frame.lineno}`
  const place =
    at === undefined || frame.function === undefined
      ? (at ?? frame.function)
      : `${at} in ${frame.function}`
  return place === undefined ? undefined : alertLine(place, placeCharactersMax)
}

function parse(payload: string): z.infer<typeof StoredEvent> | undefined {
  try {
    return StoredEvent.safeParse(JSON.parse(payload)).data
  } catch {
    return undefined
  }
}
