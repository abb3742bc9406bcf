/**
 * First half of the key of the advisory locks by which processes own partitions; the second half is
 * the partition. It keeps them apart from other locks in this database.
 */
export const lockSpace = 7_391_047
