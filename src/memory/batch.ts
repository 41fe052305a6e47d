/** How many changes go to the database at once. */
export const batchSize = 200
