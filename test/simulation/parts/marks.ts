/**
 * Texts by which the simulated stores and threads know the records that they do not survive or do
 * not take.
 */

/** In the payload of an event that kills the thread which digests it. */
export const poisonMark = 'poison'
/** In the title of an event, or the slug of a check-in, whose commit Postgres refuses. */
export const postgresRefusesMark = 'postgres-refuses'
/** In the message of an event whose row ClickHouse refuses. */
export const clickHouseRefusesMark = 'clickhouse-refuses'
