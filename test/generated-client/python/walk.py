"""Creates, lists and meets an error with the client that openapi-python-client has made in out/."""

import os

from out.petstore_client import AuthenticatedClient
from out.petstore_client.api.pets import create_pet, get_pet, list_pets
from out.petstore_client.models import Error, NewPet, Pet, PetStatus

client = AuthenticatedClient(base_url=os.environ["ORIGIN"] + "/v1", token=os.environ["API_KEY"])
created = create_pet.sync(client=client, body=NewPet(name="Rex", category_id=2**63 - 1))
assert isinstance(created, Pet)
pets = list_pets.sync(client=client, status=PetStatus.AVAILABLE)
assert isinstance(pets, list)
missing = get_pet.sync(7000, client=client)
assert isinstance(missing, Error)
assert "Rex" in [pet.name for pet in pets]
print(created.category_id)
print(missing.code)
