import type { FrameMode } from '../payload/group-frames.ts'
import { rawStack } from '../payload/raw-trace.ts'
import type { EventStack } from '../payload/read-event.ts'
import { RawText } from './exception-chain.tsx'
import { FrameList } from './frame-list.tsx'

export function StackView({
  stack,
  mode,
}: {
  readonly stack: EventStack
  readonly mode: FrameMode
}) {
  return mode === 'text' ? (
    <RawText text={rawStack(stack)} />
  ) : (
    <FrameList stack={stack} mode={mode} />
  )
}
