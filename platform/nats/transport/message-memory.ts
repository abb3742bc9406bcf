import { SharedMemoryPool } from '#platform/memory/shared-memory-pool.ts'

/** The memory of the large messages that this process receives from NATS (`MessageCutter`). */
export const messageMemory = new SharedMemoryPool()
