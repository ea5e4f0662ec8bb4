import { IncomingMessage } from "node:http";

/** How much of a body the service takes, whatever becomes of it. `request-body.ts` reads less. */
const MOST = { bytes: 1024 * 1024, pieces: 1024 };

/**
 * Below this length, in bytes, a piece counts, and is copied: Node gives each memory of its own, of 370 bytes.
 * `connection.ts` makes longer packets into pieces of this length, and ends one behind an empty line of a chunked body.
 */
const SHORT = 1024;

/**
 * Makes the requests of a server. Node's parser pushes each piece of a body as it arrives, and each chunk is at least one,
 * even if it has one byte. Beyond what the service takes nothing is kept.
 *
 * @param refuse is called once the body of a request is too much
 */
export function boundedRequest(refuse: (req: IncomingMessage) => void): typeof IncomingMessage {
  return class extends IncomingMessage {
    private pieces = 0;
    private bytes = 0;

    override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
      if (piece === null) return super.push(piece, encoding);
      const isShort = piece.length < SHORT;
      if (isShort) this.pieces += 1;
      this.bytes += piece.length;
      if (this.pieces <= MOST.pieces && this.bytes <= MOST.bytes)
        return super.push(isShort ? Buffer.from(piece) : piece, encoding);
      refuse(this);
      return true;
    }
  };
}
