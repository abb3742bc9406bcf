/**
 * The frames of an event's own code, with the paths that their file may have. The payload is JSON
 * of any shape, written by clients.
 */
import type { SuspectCommit } from '#schemas/rest/releases/commit.ts'
import { storedText } from '#schemas/stored-text.ts'
import { type CompiledPath, compilePath } from './match-paths.ts'

const exceptionsMax = 5
const framesMax = 100
const nameCharactersMax = 300

export interface SuspectFrame {
  readonly paths: readonly CompiledPath[]
  readonly shown: SuspectCommit['frame']
}

/** The frame nearest to the crash first. */
export function suspectFrames(payload: unknown): SuspectFrame[] {
  const event = fieldsOf(payload)
  const values = listOf(fieldsOf(event['exception'])['values'])
  const stacks = (values.length > 0 ? values.slice(-exceptionsMax).reverse() : [event]).map((one) =>
    listOf(fieldsOf(fieldsOf(one)['stacktrace'])['frames']),
  )
  const threads = listOf(fieldsOf(event['threads'])['values'])
  if (stacks.every((frames) => frames.length === 0)) {
    const crashed = threads.find((thread) => fieldsOf(thread)['crashed'] === true)
    stacks.push(listOf(fieldsOf(fieldsOf(crashed)['stacktrace'])['frames']))
  }
  const frames = stacks.flatMap((stack) => stack.slice(-framesMax).reverse()).map(fieldsOf)
  const own = frames.filter((frame) => frame['in_app'] === true)
  const chosen = own.length > 0 ? own : frames.filter((frame) => frame['in_app'] !== false)
  return chosen.slice(0, framesMax).flatMap((frame) => {
    const paths = pathsOf(frame)
    if (paths.length === 0) return []
    const line = frame['lineno']
    const name = textOf(frame['function'])
    const shown = {
      filename: (textOf(frame['filename']) ?? textOf(frame['abs_path']) ?? '').slice(
        -nameCharactersMax,
      ),
      function: name === undefined ? null : storedText(name, nameCharactersMax),
      line: typeof line === 'number' && Number.isInteger(line) ? line : null,
    }
    return [{ paths, shown }]
  })
}

function pathsOf(frame: Fields): CompiledPath[] {
  const filename = textOf(frame['filename'])
  const texts = [textOf(frame['abs_path']), filename, packagePath(frame, filename)]
  return texts.flatMap((text) => (text === undefined ? [] : (compilePath(text) ?? [])))
}

/** Java and Kotlin name the package of a class and only the last name of its file. */
function packagePath(frame: Fields, filename: string | undefined): string | undefined {
  const module = textOf(frame['module'])
  if (module === undefined || filename === undefined || /[/\\]/.test(filename)) return undefined
  const dot = module.lastIndexOf('.')
  return dot === -1 ? undefined : `${module.slice(0, dot).replaceAll('.', '/')}/${filename}`
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
