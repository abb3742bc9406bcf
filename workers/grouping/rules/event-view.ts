/** What grouping rules look at in an event: texts in lower case, each made when a rule needs it. */
import type { EventException, Frame, NormalizedEvent } from '../../normalize/event.ts'
import { isInApp } from '../frames/frame-pieces.ts'
import { type ImageLookup, imageLookup } from '../frames/native-frame.ts'
import { type PlatformFamily, platformFamily } from '../frames/platform-family.ts'
import { matchedUnitsMax } from './rule-glob.ts'
import type { RuledFrame } from './ruled-frame.ts'

/** A stack and the exception it belongs to. */
export interface StackView {
  readonly exception: ExceptionView | undefined
  /** Callers first, as in the event. */
  readonly frames: readonly FrameView[]
}

/** Facts of the event that say what its frames are. */
interface FrameOrigin {
  readonly platform: string
  readonly images: ImageLookup
}

export class FrameView {
  readonly frame: Frame
  readonly family: PlatformFamily
  readonly platform: string
  ruled: RuledFrame | undefined
  readonly #images: ImageLookup
  #texts: Partial<Record<'function' | 'module' | 'package', string>> = {}
  #paths: readonly string[] | undefined
  #isInApp: boolean | undefined

  constructor(frame: Frame, { platform, images }: FrameOrigin) {
    this.frame = frame
    this.#images = images
    this.platform = frame.platform ?? platform
    this.family = platformFamily(this.platform)
  }

  get inApp(): boolean {
    this.#isInApp ??= isInApp(this.family, this.frame, { images: this.#images })
    return this.ruled?.inApp ?? this.#isInApp
  }

  /** Empty when the frame has none. */
  text(key: 'function' | 'module' | 'package'): string {
    this.#texts[key] ??= lowered(this.frame[key] ?? '').replaceAll(
      '\\',
      key === 'package' ? '/' : '\\',
    )
    return this.#texts[key]
  }

  /** The paths of the file; a relative one is looked at as if it began with a slash, too. */
  get paths(): readonly string[] {
    this.#paths ??= pathsOf(this.frame)
    return this.#paths
  }
}

export class ExceptionView {
  readonly type: string
  readonly value: string
  readonly mechanism: string

  constructor(exception: EventException) {
    this.type = lowered(exception.type)
    this.value = lowered(exception.value)
    this.mechanism = lowered(exception.mechanism?.type ?? '')
  }
}

export class EventView {
  readonly event: NormalizedEvent
  #exceptions: readonly ExceptionView[] | undefined
  #stacks: readonly StackView[] | undefined
  #messages: readonly string[] | undefined

  constructor(event: NormalizedEvent) {
    this.event = event
  }

  get exceptions(): readonly ExceptionView[] {
    this.#exceptions ??= this.event.exceptions.map((exception) => new ExceptionView(exception))
    return this.#exceptions
  }

  /** Of all exceptions, of the thread that failed, and the one that belongs to none. */
  get stacks(): readonly StackView[] {
    this.#stacks ??= this.#readStacks()
    return this.#stacks
  }

  /** The text of the message, and of every exception. */
  get messages(): readonly string[] {
    const { message } = this.event
    this.#messages ??= [
      ...(message === undefined ? [] : [lowered(message.formatted)]),
      ...(message?.template === undefined ? [] : [lowered(message.template)]),
      ...this.exceptions.map(({ value }) => value),
    ]
    return this.#messages
  }

  #readStacks(): readonly StackView[] {
    const { exceptions, threads, frames, platform } = this.event
    const origin: FrameOrigin = { platform, images: imageLookup(this.event.images) }
    const view = (list: readonly Frame[], exception?: ExceptionView): StackView => ({
      exception,
      frames: list.map((frame) => new FrameView(frame, origin)),
    })
    const failed = threads.filter(
      (thread) => thread.crashed || thread.current || threads.length === 1,
    )
    return [
      ...exceptions.map((exception, index) => view(exception.frames, this.exceptions[index])),
      ...failed.map((thread) => view(thread.frames)),
      view(frames),
    ]
  }
}

export function lowered(text: string): string {
  return text.slice(0, matchedUnitsMax).toLowerCase()
}

function pathsOf({ abs_path: absPath, filename }: Frame): readonly string[] {
  const found = new Set<string>()
  for (const path of [absPath, filename]) {
    if (path === undefined || path === '') continue
    const clean = lowered(path).replaceAll('\\', '/')
    found.add(clean)
    if (!clean.startsWith('/')) found.add(`/${clean}`)
  }
  return [...found]
}
