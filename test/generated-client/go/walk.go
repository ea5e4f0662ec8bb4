// Lists, creates and meets an error with the client that oapi-codegen has made in out/.
package main

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"strconv"

	petstore "petstore.example/generated-client/out"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := petstore.NewClientWithResponses(os.Getenv("ORIGIN")+"/v1", petstore.WithRequestEditorFn(authorize))
	check(err)
	ctx := context.Background()

	pet := petstore.NewPet{Name: "Rex", CategoryId: math.MaxInt64}
	created, err := client.CreatePetWithResponse(ctx, &petstore.CreatePetParams{}, pet)
	check(err)
	status := petstore.Available
	pets, err := client.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Status: &status})
	check(err)
	missing, err := client.GetPetWithResponse(ctx, 7000)
	check(err)

	names := []string{}
	for _, pet := range *pets.JSON200 {
		names = append(names, pet.Name)
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"categoryId": strconv.FormatInt(created.JSON201.CategoryId, 10),
		"names":      names,
		"code":       missing.JSON404.Code,
	}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
