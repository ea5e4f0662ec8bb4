import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Storage, StorageLog } from "../../storages/storage-adapter.js";
import { Circuit } from "./circuit.js";
import { OutageLog } from "./outage-log.js";

/**
 * Stands between the service and any storage: gives up an operation after 4.5 s, refuses operations while the storage
 * is away, asks it until it answers, and logs the beginning and the end of an outage.
 */
export class GuardedPetRepository implements PetRepository {
  private readonly creates: Circuit;
  /** Reads go on while only creates fail, as with SQLite on a disk that takes nothing. */
  private readonly reads: Circuit;

  constructor(
    private readonly storage: Storage,
    log: StorageLog,
  ) {
    const outages = new OutageLog(log);
    this.creates = new Circuit(() => storage.ping(), outages);
    this.reads = new Circuit(() => storage.pets.get(0n), outages);
    // The storage may be away from the start; this logs it before the first request.
    void this.creates.answers();
  }

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.creates.run(() => this.storage.pets.create(pet, record));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.reads.run(() => this.storage.pets.get(id));
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.reads.run(() => this.storage.pets.list(range));
  }

  /** Rejects with `storage_unavailable` if the storage cannot be used now. */
  async ping(): Promise<void> {
    if (!(await this.creates.answers())) throw storageUnavailable(undefined);
  }

  /** Somebody is about to close the storage. */
  stop(): void {
    this.creates.stop();
    this.reads.stop();
  }
}
